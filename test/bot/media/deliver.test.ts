import { expect, test } from 'vitest'
import { ResultError } from '../../../src/bot/media/fetch-result.ts'
import { TelegramError } from '../../../src/bot/telegram/errors.ts'
import { pngOf } from '../../media-files.ts'
import { FILE, fetches, PRIVATE, PUBLIC, REDELIVER_MS, scene } from './delivery-setup.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
const PICTURE = { kind: 'image', params: { prompt: 'a fox' } } as const
const SOUND = { kind: 'sound', params: { prompt: 'rain', duration: 7 } } as const
const WAV = Buffer.from('RIFF....WAVE and its samples', 'latin1')

test('a public video goes by its URL, without being fetched here', async () => {
  const { deliver, sources, fetched, order } = scene({})

  expect(await deliver()).toBe(0)

  expect(sources()).toEqual([PUBLIC])
  expect(fetched).toEqual([])
  expect(order().deliveredFiles).toEqual([FILE])
})

test('a video that Telegram cannot fetch is uploaded, then as a document', async () => {
  const { deliver, files, sources, texts, ended } = scene({ refuses: ['url', 'bytes'] })

  await deliver()

  expect(sources()).toEqual([PUBLIC, 'video-7.mp4', 'video-7.mp4'])
  expect(files.map(({ type }) => type)).toEqual(['video', 'video', 'document'])
  expect(texts.get(101)).toContain(PUBLIC)
  expect(ended).toEqual(['delivered'])
})

test('a video too large to be uploaded is shown as a link', async () => {
  const fetchResult = () => Promise.reject(new ResultError('too_large', 'too large'))
  const { deliver, texts, ended } = scene({ refuses: ['url'], fetchResult })

  await deliver()

  expect(texts.get(101)).toContain(PUBLIC)
  expect(ended).toEqual(['delivered'])
})

test('a video that neither Telegram nor we can show is reported and its charge written off', async () => {
  const { deliver, texts, failures, removed } = scene({
    resultUrls: [PRIVATE],
    refuses: ['bytes'],
  })

  await deliver()

  expect(failures).toEqual([{ code: -4, money: 'write_off' }])
  expect(texts.get(101)).toContain('I couldn’t fetch it')
  expect(removed).toEqual([50])
})

test('what is no video is not sent on, not even as a link, and its charge is taken back', async () => {
  const fetchResult = () => Promise.reject(new ResultError('refused', 'a page'))
  const { deliver, sources, texts, failures } = scene({ refuses: ['url'], fetchResult })

  await deliver()

  expect(sources()).toEqual([PUBLIC])
  expect(failures).toEqual([{ code: -4, money: 'write_off' }])
  expect([...texts.values()].join()).not.toContain(PUBLIC)
})

test('a picture goes as a photo, by its URL or as an upload', async () => {
  const fetchResult = fetches(pngOf({ width: 640, height: 480 }))
  const { deliver, files, sources } = scene({ ...PICTURE, refuses: ['url'], fetchResult })

  await deliver()

  expect(sources()).toEqual([PUBLIC, 'image-7.png'])
  expect(files.map(({ type }) => type)).toEqual(['photo', 'photo'])
})

test('a sound goes as an audio with its title and length; as WAV, which is none, as a document', async () => {
  const { deliver, files, sources } = scene({
    ...SOUND,
    refuses: ['url'],
    fetchResult: fetches(WAV),
  })

  await deliver()

  expect(sources()).toEqual([PUBLIC, 'sound-7.wav'])
  expect(files).toMatchObject([
    { type: 'audio', title: 'rain', durationSeconds: 7 },
    { type: 'document', caption: 'rain\n₽40.00' },
  ])
})

test('results that do not come are tried again ever later, for a day', async () => {
  const unavailable = () => Promise.reject(new ResultError('unavailable', 'not now'))
  const often = { resultUrls: [PRIVATE], fetchResult: unavailable, failedDeliveries: 40 }
  const fresh = scene({ ...often, failedDeliveries: 0 })
  const early = scene({ ...often, ageMs: () => 23 * HOUR_MS })
  const late = scene({ ...often, ageMs: () => 25 * HOUR_MS })

  const delays = [await fresh.deliver(), await fresh.deliver(), await fresh.deliver()]
  await late.deliver()

  expect(delays).toEqual([REDELIVER_MS, 2 * REDELIVER_MS, 4 * REDELIVER_MS])
  expect(await early.deliver()).toBe(HOUR_MS / 2)
  expect(early.failures).toEqual([])
  expect(late.failures).toEqual([{ code: -4, money: 'write_off' }])
})

test('a chat that takes nothing has its results kept for a month, and the charge stays', async () => {
  const { deliver, failures } = scene({
    resultUrls: [PUBLIC, PUBLIC],
    onAlbum: () => {
      throw new TelegramError({ code: 'chat_unreachable', chatId: 501, reason: 'bot was blocked' })
    },
    ageMs: () => 30 * DAY_MS,
  })

  await deliver()

  expect(failures).toEqual([{ code: -5, money: 'kept', isEnd: true }])
})

const PICTURES = { kind: 'image', params: { prompt: 'foxes' } } as const
const FETCHED = { fetchResult: fetches(pngOf({ width: 640, height: 480 })) }

function linksTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://videos.example.com/${index + 1}.png`)
}

test('more than ten results are albums of about one size', async () => {
  const { deliver, albums, order } = scene({ ...PICTURES, resultUrls: linksTo(11) })

  await deliver()

  expect(albums.map((album) => album.length)).toEqual([6, 5])
  expect(order().deliveredFiles).toHaveLength(11)
})

test('an album that Telegram does not take by its links is uploaded, then as documents', async () => {
  const { deliver, albums, albumSources } = scene({
    ...PICTURES,
    ...FETCHED,
    resultUrls: linksTo(2),
    refuses: ['url', 'bytes'],
  })

  await deliver()

  const names = ['image-7-1.png', 'image-7-2.png']
  expect(albumSources()).toEqual([linksTo(2), names, names])
  expect(albums.at(-1)?.map(({ type }) => type)).toEqual(['document', 'document'])
})

test('a process that ended between two albums goes on with the second', async () => {
  const { deliver, albumSources } = scene({
    ...PICTURES,
    resultUrls: linksTo(11),
    resultMessageId: 101,
    deliveredFiles: Array(6).fill(FILE),
  })

  await deliver()

  expect(albumSources()).toEqual([linksTo(11).slice(6)])
})
