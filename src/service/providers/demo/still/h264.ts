import { createBitWriter } from './bit-writer.ts'

/** The side of a macroblock. */
export const BLOCK = 16
/** Of one macroblock, as it is: 256 of brightness, 64 and 64 of colour. */
export const BLOCK_BYTES = 384

const BASELINE = 66
/** Nothing in it that the main profile does not know: every player plays it. */
const CONSTRAINED = 0b1100_0000
const FRAME_NUMBER_BITS = 8
/** By the macroblocks of a frame: those of 1280 × 720, and more. */
const LEVELS = { small: 31, large: 40, smallMax: 3600 }

const UNIT = { parameters: 0x67, picture: 0x68, key: 0x65, other: 0x41 }
const SLICE = { key: 7, other: 5 }
/** A macroblock that holds its pixels as they are, among macroblocks of either slice. */
const PLAIN = { key: 25, other: 30 }

const ZEROS = Buffer.alloc(2)

/** The size of a frame, in pixels. Both are even. */
interface FrameSize {
  width: number
  height: number
}

/** What a player is told of all frames before the first. */
export function writeParameters({ width, height }: FrameSize) {
  const columns = Math.ceil(width / BLOCK)
  const rows = Math.ceil(height / BLOCK)
  const level = columns * rows <= LEVELS.smallMax ? LEVELS.small : LEVELS.large
  const sequence = createBitWriter()
    .u(BASELINE, 8)
    .u(CONSTRAINED, 8)
    .u(level, 8)
    .ue(0)
    .ue(FRAME_NUMBER_BITS - 4)
    // Frames are shown in the order in which they stand, and each looks back at one.
    .ue(2)
    .ue(1)
    .u(0, 1)
    .ue(columns - 1)
    .ue(rows - 1)
    .u(0b11, 2)
    // Cut off in steps of two pixels: what fills the last macroblocks up.
    .u(1, 1)
    .ue(0)
    .ue((columns * BLOCK - width) / 2)
    .ue(0)
    .ue((rows * BLOCK - height) / 2)
    // Of the rest a player needs to know the colours alone: BT.709, as HD has them, from 16 to 235.
    .u(0b1001, 4)
    .u(0b10101, 5)
    .u(1, 8)
    .u(1, 8)
    .u(1, 8)
    .u(0, 6)
  const picture = createBitWriter()
    .ue(0)
    .ue(0)
    .u(0b00, 2)
    .ue(0)
    .ue(0)
    .ue(0)
    .u(0, 3)
    .se(0)
    .se(0)
    .se(0)
    .u(0b100, 3)
  return {
    sequence: toUnit(UNIT.parameters, sequence.end()),
    picture: toUnit(UNIT.picture, picture.end()),
  }
}

/** A frame by itself. @param blocks All of its macroblocks, row by row. */
export function writeKeyFrame(blocks: readonly Uint8Array[]): Buffer {
  const slice = createBitWriter().ue(0).ue(SLICE.key).ue(0).u(0, FRAME_NUMBER_BITS).ue(0).u(0, 2)
  slice.se(0).ue(1)
  for (const block of blocks) slice.ue(PLAIN.key).align().raw(block)
  return toUnit(UNIT.key, slice.end())
}

/**
 * A frame like the one before it, but for some macroblocks.
 *
 * @param changed By their places, in order.
 */
export function writeChanges(
  frameNumber: number,
  changed: readonly { place: number; block: Uint8Array }[],
  blocksCount: number,
): Buffer {
  const slice = createBitWriter().ue(0).ue(SLICE.other).ue(0)
  slice
    .u(frameNumber % 2 ** FRAME_NUMBER_BITS, FRAME_NUMBER_BITS)
    .u(0, 3)
    .se(0)
    .ue(1)
  let next = 0
  for (const { place, block } of changed) {
    slice
      .ue(place - next)
      .ue(PLAIN.other)
      .align()
      .raw(block)
    next = place + 1
  }
  if (next < blocksCount) slice.ue(blocksCount - next)
  return toUnit(UNIT.other, slice.end())
}

/** Puts a 3 where bytes would look like the beginning of a unit. */
function toUnit(header: number, payload: Buffer): Buffer {
  const pieces: Uint8Array[] = [Uint8Array.of(header)]
  let from = 0
  for (let at = payload.indexOf(ZEROS); at >= 0; at = payload.indexOf(ZEROS, at + 1)) {
    if (at < from || (payload[at + 2] ?? 0) > 3) continue
    pieces.push(payload.subarray(from, at + 2), Uint8Array.of(3))
    from = at + 2
  }
  return Buffer.concat([...pieces, payload.subarray(from)])
}
