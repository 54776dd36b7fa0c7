/** A clip of H.264 frames, each shown for as long as the others. */
export interface Clip {
  width: number
  height: number
  framesPerSecond: number
  parameters: { sequence: Uint8Array; picture: Uint8Array }
  /** The first can be decoded by itself. */
  frames: readonly Uint8Array[]
}

const FLAGS_OF_TRACK = 3
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]
/** In front of each frame. */
const LENGTH_BYTES = 4

/** Makes an MP4 file that a player can begin before it has the whole of it (ISO/IEC 14496-12 and -15). */
export function writeMp4(clip: Clip): Buffer {
  const type = box('ftyp', text('isom'), u32(0x200), text('isomiso2avc1mp41'))
  const sizes = clip.frames.map(({ length }) => length + LENGTH_BYTES)
  const data = box('mdat', ...clip.frames.flatMap((frame) => [u32(frame.length), frame]))
  const dataAt = type.length + movie(clip, sizes, 0).length + 8
  return Buffer.concat([type, movie(clip, sizes, dataAt), data])
}

function movie(clip: Clip, sizes: readonly number[], dataAt: number): Buffer {
  const { width, height, framesPerSecond, frames } = clip
  const duration = frames.length
  const mvhd = box(
    'mvhd',
    u32(0, 0, 0, framesPerSecond, duration, 0x10000, 0x1000000, 0, 0),
    u32(...MATRIX, 0, 0, 0, 0, 0, 0, 2),
  )
  const tkhd = box(
    'tkhd',
    u32(FLAGS_OF_TRACK, 0, 0, 1, 0, duration, 0, 0, 0, 0),
    u32(...MATRIX, width * 0x10000, height * 0x10000),
  )
  const mdhd = box('mdhd', u32(0, 0, 0, framesPerSecond, duration), u16(0x55c4, 0))
  const hdlr = box('hdlr', u32(0, 0), text('vide'), u32(0, 0, 0), text('Video\0'))
  const dinf = box('dinf', box('dref', u32(0, 1), box('url ', u32(1))))
  const minf = box('minf', box('vmhd', u32(1, 0, 0)), dinf, table(clip, sizes, dataAt))
  return box('moov', mvhd, box('trak', tkhd, box('mdia', mdhd, hdlr, minf)))
}

/** Where each frame is, how long and how to decode it. All stand in one chunk. */
function table({ frames, ...clip }: Clip, sizes: readonly number[], dataAt: number): Buffer {
  const count = frames.length
  return box(
    'stbl',
    box('stsd', u32(0, 1), sampleEntry(clip)),
    box('stts', u32(0, 1, count, 1)),
    box('stss', u32(0, 1, 1)),
    box('stsc', u32(0, 1, 1, count, 1)),
    box('stsz', u32(0, 0, count, ...sizes)),
    box('stco', u32(0, 1, dataAt)),
  )
}

function sampleEntry({ width, height, parameters }: Omit<Clip, 'frames'>): Buffer {
  const { sequence, picture } = parameters
  const profile = sequence.subarray(1, 4)
  const avcC = box(
    'avcC',
    Uint8Array.of(1, ...profile, 0xfc | (LENGTH_BYTES - 1), 0xe1),
    u16(sequence.length),
    sequence,
    Uint8Array.of(1),
    u16(picture.length),
    picture,
  )
  const shape = [u16(width, height), u32(0x480000, 0x480000, 0), u16(1)]
  const before = [u16(0, 0, 0, 1), u32(0, 0, 0, 0)]
  return box('avc1', ...before, ...shape, Buffer.alloc(32), u16(24, 0xffff), avcC)
}

function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, 8)
  return Buffer.concat([u32(size), text(type), ...parts])
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, 4 * index)
  })
  return bytes
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  values.forEach((value, index) => {
    bytes.writeUInt16BE(value, 2 * index)
  })
  return bytes
}

function text(characters: string): Buffer {
  return Buffer.from(characters, 'latin1')
}
