/** Where one box of an MP4 stands. */
export interface Box {
  type: string
  start: number
  /** Where the payload begins, after the size and the type. */
  body: number
  end: number
}

/**
 * Reads the boxes that fill a stretch of an MP4, one after the other, not their contents.
 *
 * @throws {RangeError} If one does not end where the stretch does, or before.
 */
export function* readBoxes(view: DataView, start: number, end: number): Generator<Box, void> {
  for (let at = start; at < end; ) {
    if (at + 8 > end) throw new RangeError('Cannot read MP4: a box is cut off')
    let size = view.getUint32(at)
    let body = at + 8
    if (size === 1) {
      if (at + 16 > end) throw new RangeError('Cannot read MP4: a box is cut off')
      size = Number(view.getBigUint64(at + 8))
      body = at + 16
    } else if (size === 0) {
      size = end - at // The last box reaches to the end.
    }
    if (at + size > end || size < body - at)
      throw new RangeError('Cannot read MP4: a box is cut off')
    const type = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at + 4, 4))
    yield { type, start: at, body, end: at + size }
    at += size
  }
}
