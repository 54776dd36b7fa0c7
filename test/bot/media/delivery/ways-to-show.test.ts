import { expect, test } from 'vitest'
import { type UploadFacts, waysToShow } from '../../../../src/bot/media/delivery/ways-to-show.ts'
import type { MediaType } from '../../../../src/platform/http/media-type.ts'

const MIB = 1024 * 1024

test.each([
  ['mp4', {}, 'video'],
  ['webm', {}, 'document'],
  ['mov', {}, 'document'],
  ['png', { size: { width: 1024, height: 1024 } }, 'photo'],
  ['jpg', { size: { width: 5_000, height: 5_000 } }, 'photo'],
  ['jpg', { size: { width: 5_001, height: 5_000 } }, 'document'],
  ['png', { size: { width: 100, height: 2_000 } }, 'photo'],
  ['png', { size: { width: 100, height: 2_001 } }, 'document'],
  ['png', { bytes: 10 * MIB, size: { width: 100, height: 100 } }, 'photo'],
  ['png', { bytes: 10 * MIB + 1, size: { width: 100, height: 100 } }, 'document'],
  ['webp', {}, 'photo'],
  ['gif', {}, 'document'],
  ['mp3', {}, 'audio'],
  ['m4a', {}, 'audio'],
  ['wav', {}, 'document'],
  ['ogg', {}, 'document'],
] as const)('a %s of %j is shown as a %s', (extension, facts, way) => {
  const documents = way === 'document' ? [] : [['document']]

  expect(waysToShow([fileOf(extension, facts)])).toEqual([[way], ...documents])
})

test.each([
  [
    ['mp4', 'png'],
    ['video', 'photo'],
  ],
  [
    ['mp3', 'm4a'],
    ['audio', 'audio'],
  ],
  [
    ['mp3', 'wav'],
    ['document', 'document'],
  ],
  [
    ['png', 'gif'],
    ['document', 'document'],
  ],
])('an album of %j begins as %j', (extensions, best) => {
  expect(waysToShow(extensions.map((extension) => fileOf(extension)))[0]).toEqual(best)
})

function fileOf(extension: string, facts: Partial<UploadFacts> = {}): UploadFacts {
  const type: MediaType = { media: 'image', contentType: '', extension }
  return { type, bytes: MIB, ...facts }
}
