import { expect, test } from 'vitest'
import { SendOutcomeUnknownError } from '../../../../src/bot/telegram/errors.ts'
import { pngOf } from '../../../media-files.ts'
import { FILE, fetches, PRIVATE, scene } from './delivery-setup.ts'

const PICTURES = { kind: 'image', params: { prompt: 'foxes' } } as const
const FETCHED = { fetchResult: fetches(pngOf({ width: 640, height: 480 })) }

function linksTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://clips.example.com/${index + 1}.png`)
}

test('several results are one album below the message that announced them', async () => {
  const resultUrls = linksTo(3)
  const { deliver, albums, albumSources, texts, order } = scene({ ...PICTURES, resultUrls })

  expect(await deliver()).toBeUndefined()

  expect(albumSources()).toEqual([resultUrls])
  expect(albums[0]?.map(({ type, caption }) => [type, caption])).toEqual([
    ['photo', 'foxes\n₽40.00'],
    ['photo', undefined],
    ['photo', undefined],
  ])
  expect(texts.get(101)).toBe('Your 3 pictures:')
  const photo = { ...FILE, type: 'photo' }
  expect(order()).toMatchObject({
    state: 'delivered',
    sendingSince: null,
    deliveredFiles: [photo, photo, photo],
  })
})

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

  const names = ['picture-7-1.png', 'picture-7-2.png']
  expect(albumSources()).toEqual([linksTo(2), names, names])
  expect(albums.at(-1)?.map(({ type }) => type)).toEqual(['document', 'document'])
})

test('an album that may have been sent is not sent again: the message says so and leads to the results', async () => {
  const lost = () => {
    throw new SendOutcomeUnknownError(501, 'no answer')
  }
  const { deliver, albums, texts, ended } = scene({
    ...PICTURES,
    resultUrls: linksTo(2),
    onAlbum: lost,
  })

  await deliver()

  expect(albums).toHaveLength(1)
  expect(texts.get(101)).toContain('I don’t know whether they arrived')
  expect(texts.get(101)).toContain(linksTo(2).join('\n'))
  expect(ended).toEqual(['delivered'])
})

test('an album whose process ended while it was sent is not sent again either', async () => {
  const { deliver, albums, texts, ended } = scene({
    ...PICTURES,
    ...FETCHED,
    resultUrls: [PRIVATE, PRIVATE],
    resultMessageId: 101,
    sendingSince: new Date(),
  })

  await deliver()

  expect(albums).toEqual([])
  expect(texts.get(101)).toContain('/orders sends them again')
  expect(texts.get(101)).not.toContain(PRIVATE)
  expect(ended).toEqual(['delivered'])
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
