import { expect, test } from 'vitest'
import { pngOf } from '../../../media-files.ts'
import { FILE, fetches, scene } from './delivery-setup.ts'

const PICTURES = { kind: 'image', params: { prompt: 'foxes' } } as const
const FETCHED = { fetchResult: fetches(pngOf({ width: 640, height: 480 })) }

function linksTo(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `https://clips.example.com/${index + 1}.png`)
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

  const names = ['picture-7-1.png', 'picture-7-2.png']
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
