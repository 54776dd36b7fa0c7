import { describe, expect, test } from 'vitest'
import {
  ResultRefusedError,
  ResultTooLargeError,
  ResultUnavailableError,
} from '../../../../src/bot/media/delivery/fetch-result.ts'
import { ChatUnreachableError } from '../../../../src/bot/telegram/errors.ts'
import { pngOf } from '../../../media-files.ts'
import { FILE, fetches, PRIVATE, PUBLIC, REDELIVER_MS, scene } from './delivery-setup.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
const PICTURE = { kind: 'image', params: { prompt: 'a fox' } } as const
const SOUND = { kind: 'sound', params: { prompt: 'rain', duration: 7 } } as const
const WAV = Buffer.from('RIFF....WAVE and its samples', 'latin1')

test('a public clip goes by its URL, without being fetched here', async () => {
  const { deliver, sources, fetched, order } = scene({})

  expect(await deliver()).toBeUndefined()

  expect(sources()).toEqual([PUBLIC])
  expect(fetched).toEqual([])
  expect(order().deliveredFiles).toEqual([FILE])
})

test('a clip that Telegram cannot fetch is uploaded, then as a document', async () => {
  const { deliver, files, sources, texts, ended } = scene({ refuses: ['url', 'bytes'] })

  await deliver()

  expect(sources()).toEqual([PUBLIC, 'clip-7.mp4', 'clip-7.mp4'])
  expect(files.map(({ type }) => type)).toEqual(['video', 'video', 'document'])
  expect(texts.get(101)).toContain(PUBLIC)
  expect(ended).toEqual(['delivered'])
})

test('a clip too large to be uploaded is shown as a link', async () => {
  const fetchResult = () => Promise.reject(new ResultTooLargeError('too large'))
  const { deliver, texts, ended } = scene({ refuses: ['url'], fetchResult })

  await deliver()

  expect(texts.get(101)).toContain(PUBLIC)
  expect(ended).toEqual(['delivered'])
})

test('a clip that neither Telegram nor we can show is reported and its charge written off', async () => {
  const { deliver, texts, failures, removed } = scene({
    resultUrls: [PRIVATE],
    refuses: ['bytes'],
  })

  await deliver()

  expect(failures).toEqual([{ code: -4, money: 'write_off' }])
  expect(texts.get(101)).toContain('I couldn’t fetch it')
  expect(removed).toEqual([50])
})

test('what is no clip is not sent on, not even as a link, and its charge is taken back', async () => {
  const fetchResult = () => Promise.reject(new ResultRefusedError('a page'))
  const { deliver, sources, texts, failures } = scene({ refuses: ['url'], fetchResult })

  await deliver()

  expect(sources()).toEqual([PUBLIC])
  expect(failures).toEqual([{ code: -4, money: 'write_off' }])
  expect([...texts.values()].join()).not.toContain(PUBLIC)
})

describe('every kind', () => {
  test('a picture goes as a photo, by its URL or as an upload', async () => {
    const fetchResult = fetches(pngOf({ width: 640, height: 480 }))
    const { deliver, files, sources } = scene({ ...PICTURE, refuses: ['url'], fetchResult })

    await deliver()

    expect(sources()).toEqual([PUBLIC, 'picture-7.png'])
    expect(files.map(({ type }) => type)).toEqual(['photo', 'photo'])
  })

  test('a picture too wide for a photo goes as a document', async () => {
    const fetchResult = fetches(pngOf({ width: 6000, height: 200 }))
    const { deliver, files } = scene({ ...PICTURE, resultUrls: [PRIVATE], fetchResult })

    await deliver()

    expect(files.map(({ type }) => type)).toEqual(['document'])
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
})

describe('results that do not come', () => {
  const unavailable = (isDenied: boolean) => () =>
    Promise.reject(new ResultUnavailableError('not now', { isDenied, cause: undefined }))

  test('are tried again ever later, for a day', async () => {
    const often = { resultUrls: [PRIVATE], fetchResult: unavailable(false), failedDeliveries: 40 }
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
})

describe('a chat that takes nothing', () => {
  const away = { resultUrls: [PUBLIC, PUBLIC], onAlbum: () => throwUnreachable() }

  test('has them kept for a month, and the charge stays', async () => {
    const { deliver, failures } = scene({ ...away, ageMs: () => 30 * DAY_MS })

    expect(await deliver()).toBeUndefined()

    expect(failures).toEqual([{ code: -5, money: 'kept', isEnd: true }])
  })

  function throwUnreachable(): never {
    throw new ChatUnreachableError(501, 'bot was blocked by the user')
  }
})
