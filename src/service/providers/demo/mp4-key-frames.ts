import { type Box, readBoxes } from './mp4-box.ts'

/** From the file down to the tables of its track. */
const PATH_TO_TABLES = ['moov', 'trak', 'mdia', 'minf', 'stbl']

/**
 * Writes down which frames of an MP4 with one track can be decoded by themselves (`stss`). Without that table
 * every frame counts as one, and a player that seeks shows nothing until the next real one.
 *
 * @param keyFrames Numbers of the frames, ascending; the first frame is 1.
 * @returns A new, longer file.
 * @throws {RangeError} If the file is no such MP4, or its `moov` is not behind the media data, whose place
 * must not change.
 */
export function markKeyFrames(mp4: Uint8Array, keyFrames: readonly number[]): Uint8Array {
  const view = new DataView(mp4.buffer, mp4.byteOffset, mp4.byteLength)
  const parents = findParents(view)
  const place = parents.at(-1)?.end ?? mp4.length
  const table = writeTable(keyFrames)

  const marked = new Uint8Array(mp4.length + table.length)
  marked.set(mp4.subarray(0, place), 0)
  marked.set(table, place)
  marked.set(mp4.subarray(place), place + table.length)
  const markedView = new DataView(marked.buffer)
  for (const { start, end } of parents) markedView.setUint32(start, end - start + table.length)
  return marked
}

function findParents(view: DataView): Box[] {
  const parents: Box[] = []
  let boxes = [...readBoxes(view, 0, view.byteLength)]
  const types = boxes.map(({ type }) => type)
  if (types.lastIndexOf('mdat') > types.indexOf('moov')) {
    throw new RangeError('Cannot mark key frames: moov is before the media data')
  }
  for (const type of PATH_TO_TABLES) {
    const parent = boxes.find((box) => box.type === type)
    if (parent === undefined) throw new RangeError(`Cannot mark key frames: there is no ${type}`)
    parents.push(parent)
    boxes = [...readBoxes(view, parent.body, parent.end)]
  }
  return parents
}

function writeTable(keyFrames: readonly number[]): Uint8Array {
  const table = Buffer.alloc(16 + keyFrames.length * 4)
  table.writeUInt32BE(table.length, 0)
  table.write('stss', 4, 'latin1')
  // Four bytes of version and flags stay zero.
  table.writeUInt32BE(keyFrames.length, 12)
  for (const [index, frame] of keyFrames.entries()) table.writeUInt32BE(frame, 16 + index * 4)
  return table
}
