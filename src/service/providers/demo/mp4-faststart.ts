import { type Box, readBoxes } from './mp4-box.ts'

/** Boxes on the way from the movie to its tables of chunk offsets. */
const PATH_TO_OFFSETS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

/**
 * Puts the `moov` box of an MP4 before its media data, so that a player can begin while the file still
 * loads. The tables of chunk offsets (`stco`, `co64`) follow the data that moved.
 *
 * @returns A new file of the same length; the given one, untouched, if `moov` comes first already.
 * @throws {RangeError} If the bytes are not whole boxes with a `moov` and an `mdat`.
 */
export function moveMoovToFront(mp4: Uint8Array): Uint8Array {
  const view = new DataView(mp4.buffer, mp4.byteOffset, mp4.byteLength)
  const boxes = [...readBoxes(view, 0, mp4.byteLength)]
  const moov = boxes.find((box) => box.type === 'moov')
  const mdat = boxes.find((box) => box.type === 'mdat')
  if (moov === undefined || mdat === undefined) {
    throw new RangeError('Cannot move moov: the file has no moov or no mdat')
  }
  if (moov.start < mdat.start) return mp4

  // Not slice(): that of a Buffer shares its bytes.
  const moovBytes = new Uint8Array(mp4.subarray(moov.start, moov.end))
  const moovView = new DataView(moovBytes.buffer)
  if (moovView.getUint32(0) === 0) moovView.setUint32(0, moovBytes.length)
  shiftOffsets(moovView, { from: mdat.start, to: moov.start, by: moovBytes.length })

  const moved = new Uint8Array(mp4.length)
  moved.set(mp4.subarray(0, mdat.start), 0)
  moved.set(moovBytes, mdat.start)
  moved.set(mp4.subarray(mdat.start, moov.start), mdat.start + moovBytes.length)
  moved.set(mp4.subarray(moov.end), moov.end)
  return moved
}

/** The bytes of the file that move, and how far. */
interface Shift {
  from: number
  to: number
  by: number
}

function shiftOffsets(moov: DataView, shift: Shift): void {
  const open = [...readBoxes(moov, 0, moov.byteLength)]
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    if (PATH_TO_OFFSETS.has(box.type)) open.push(...readBoxes(moov, box.body, box.end))
    else if (box.type === 'stco') shiftTable(moov, box, shift, 4)
    else if (box.type === 'co64') shiftTable(moov, box, shift, 8)
  }
}

function shiftTable(moov: DataView, box: Box, { from, to, by }: Shift, entryBytes: 4 | 8): void {
  // Version and flags, then the count, then the entries.
  const entries = box.body + 8
  if (entries > box.end) throw new RangeError(`Cannot move moov: ${box.type} is cut off`)
  const count = moov.getUint32(box.body + 4)
  if (entries + count * entryBytes > box.end)
    throw new RangeError(`Cannot move moov: ${box.type} is cut off`)

  for (let at = entries; at < entries + count * entryBytes; at += entryBytes) {
    const offset = entryBytes === 4 ? moov.getUint32(at) : Number(moov.getBigUint64(at))
    if (offset < from || offset >= to) continue
    if (entryBytes === 8) moov.setBigUint64(at, BigInt(offset + by))
    else if (offset + by <= 0xffff_ffff) moov.setUint32(at, offset + by)
    else throw new RangeError('Cannot move moov: an offset would not fit into stco')
  }
}
