import { setImmediate } from 'node:timers/promises'
import { BLOCK, BLOCK_BYTES } from './h264.ts'

/** Pixels row by row, four bytes each: red, green, blue, and one that is not looked at. */
export interface Pixels {
  width: number
  height: number
  pixels: Uint8Array
}

/** BT.709 in 16 to 235, times 2¹⁶. */
const LUMA = { red: 11_966, green: 40_254, blue: 4_064 }
const BLUENESS = { red: -6_596, green: -22_189, blue: 28_784 }
const REDNESS = { red: 28_784, green: -26_145, blue: -2_639 }
const HALF = 0x8000

/** A macroblock of one brightness, without colour. @param brightness 16 to 235. */
export function plainBlock(brightness: number): Uint8Array {
  return new Uint8Array(BLOCK_BYTES).fill(brightness, 0, 256).fill(128, 256)
}

/**
 * Cuts a picture into macroblocks, row by row. Its last row and column are repeated where it ends within one.
 *
 * It takes some 100 ms, in which others have their turns.
 */
export async function toMacroblocks(picture: Pixels): Promise<Uint8Array[]> {
  const blocks: Uint8Array[] = []
  for (let top = 0; top < picture.height; top += BLOCK) {
    for (let left = 0; left < picture.width; left += BLOCK) {
      blocks.push(toBlock(picture, { left, top }))
    }
    await setImmediate()
  }
  return blocks
}

function toBlock(picture: Pixels, { left, top }: { left: number; top: number }): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  for (let y = 0; y < BLOCK; y++) {
    for (let x = 0; x < BLOCK; x++) {
      const at = offsetOf(picture, left + x, top + y)
      block[y * BLOCK + x] = weigh(picture, at, LUMA, 16)
      // Of four pixels one tells the colour of all.
      if (x % 2 === 1 || y % 2 === 1) continue
      const colour = 256 + (y / 2) * (BLOCK / 2) + x / 2
      block[colour] = weigh(picture, at, BLUENESS, 128)
      block[colour + 64] = weigh(picture, at, REDNESS, 128)
    }
  }
  return block
}

function offsetOf({ width, height }: Pixels, x: number, y: number): number {
  return 4 * (Math.min(y, height - 1) * width + Math.min(x, width - 1))
}

function weigh({ pixels }: Pixels, at: number, by: typeof LUMA, base: number): number {
  const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]]
  return base + ((by.red * red + by.green * green + by.blue * blue + HALF) >> 16)
}
