import { expect, test } from 'vitest'
import { markKeyFrames } from '../../../../src/service/providers/demo/mp4-key-frames.ts'
import { box } from './mp4-file.ts'

const FTYP = box('ftyp', Buffer.from('isom'))
const MDAT = box('mdat', Buffer.from('media'))
const FREE = box('free', Buffer.alloc(3))

test('markKeyFrames() adds the table to the track and moves nothing before it', () => {
  const file = Buffer.concat([FTYP, MDAT, moovWith(box('stsd')), FREE])

  const marked = markKeyFrames(file, [1, 25])

  const table = box('stss', Buffer.from([0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 25]))
  const expected = Buffer.concat([FTYP, MDAT, moovWith(box('stsd'), table), FREE])
  expect(Buffer.from(marked)).toEqual(expected)
})

test('markKeyFrames() refuses a file whose media would move', () => {
  const file = Buffer.concat([FTYP, moovWith(box('stsd')), MDAT])

  expect(() => markKeyFrames(file, [1])).toThrow(RangeError)
})

test('markKeyFrames() refuses a file cut off anywhere', () => {
  const file = Buffer.concat([FTYP, MDAT, moovWith(box('stsd'))])

  for (let length = 0; length < file.length; length++) {
    expect(() => markKeyFrames(file.subarray(0, length), [1])).toThrow(RangeError)
  }
})

function moovWith(...tables: Uint8Array[]): Uint8Array {
  const mdia = box('mdia', box('mdhd'), box('minf', box('vmhd'), box('stbl', ...tables)))
  return box('moov', box('mvhd'), box('trak', box('tkhd'), mdia))
}
