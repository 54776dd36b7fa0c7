import { describe, expect, test } from 'vitest'
import { moveMoovToFront } from '../../../../src/service/providers/demo/mp4-faststart.ts'
import { box } from './mp4-file.ts'

const FTYP = box('ftyp', Buffer.from('isom'))
const MDAT = box('mdat', Buffer.from('first-chunk|second-chunk'))
const FREE = box('free', Buffer.alloc(5))
const FIRST = FTYP.length + 8
const SECOND = FIRST + 'first-chunk|'.length

describe('moveMoovToFront()', () => {
  test('puts moov before mdat and keeps every other byte', () => {
    const moov = moovWith(stco([]))
    const file = Buffer.concat([FTYP, MDAT, moov, FREE])

    const moved = moveMoovToFront(file)

    expect(Buffer.from(moved)).toEqual(Buffer.concat([FTYP, moov, MDAT, FREE]))
  })

  test.each([
    ['stco', stco],
    ['co64', co64],
  ])('lets the offsets in %s follow the media, in every track', (_, table) => {
    const moov = moovWith(table([FIRST, SECOND]), table([SECOND]))
    const file = Buffer.concat([FTYP, MDAT, moov])

    const moved = moveMoovToFront(file)

    const by = moov.length
    const expected = moovWith(table([FIRST + by, SECOND + by]), table([SECOND + by]))
    expect(Buffer.from(moved)).toEqual(Buffer.concat([FTYP, expected, MDAT]))
    expect(
      Buffer.from(moved)
        .subarray(SECOND + by)
        .toString(),
    ).toBe('second-chunk')
  })

  test('leaves offsets alone that point at nothing that moves', () => {
    const moov = moovWith(stco([0, FTYP.length + MDAT.length + 500]))
    const file = Buffer.concat([FTYP, MDAT, moov, FREE])

    const moved = moveMoovToFront(file)

    expect(Buffer.from(moved)).toEqual(Buffer.concat([FTYP, moov, MDAT, FREE]))
  })

  test('gives a file that is in order back as it is', () => {
    const file = Buffer.concat([FTYP, moovWith(stco([FIRST])), MDAT])

    expect(moveMoovToFront(file)).toBe(file)
  })

  test('writes down the size of a moov that reached to the end of the file', () => {
    const moov = moovWith(stco([]))
    const open = Buffer.from(moov)
    open.writeUInt32BE(0)

    const moved = moveMoovToFront(Buffer.concat([FTYP, MDAT, open]))

    expect(Buffer.from(moved)).toEqual(Buffer.concat([FTYP, moov, MDAT]))
  })

  test('refuses a file cut off anywhere', () => {
    const file = Buffer.concat([FTYP, MDAT, moovWith(stco([FIRST, SECOND]))])

    for (let length = 0; length < file.length; length++) {
      expect(() => moveMoovToFront(file.subarray(0, length))).toThrow(RangeError)
    }
  })

  test('refuses a table that claims more offsets than it has', () => {
    const table = Buffer.from(stco([FIRST]))
    table.writeUInt32BE(0xffff_ffff, 12)

    expect(() => moveMoovToFront(Buffer.concat([FTYP, MDAT, moovWith(table)]))).toThrow(RangeError)
  })
})

function moovWith(...tables: Uint8Array[]): Uint8Array {
  const tracks = tables.map((table) =>
    box('trak', box('tkhd'), box('mdia', box('minf', box('stbl', box('stsd'), table)))),
  )
  return box('moov', box('mvhd'), ...tracks)
}

function stco(offsets: number[]): Uint8Array {
  return box('stco', uint32(0), uint32(offsets.length), ...offsets.map((offset) => uint32(offset)))
}

function co64(offsets: number[]): Uint8Array {
  const wide = offsets.map((offset) => Buffer.concat([uint32(0), uint32(offset)]))
  return box('co64', uint32(0), uint32(offsets.length), ...wide)
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
