import { expect, test } from 'vitest'
import { readImageSize } from '../../../src/platform/http/image-size.ts'

// As the formats have them, for a picture of 300 × 200 pixels.
const PNG = '89504e470d0a1a0a0000000d494844520000012c000000c8'
const JPEG = 'ffd8ffe000104a46494600010101004800480000ffc0001108 00c8 012c 03'
const WEBP_LOSSY = '52494646 00000000 57454250 56503820 00000000 300600 9d012a 2c01 c800 0000'
const WEBP_LOSSLESS = '52494646 00000000 57454250 5650384c 00000000 2f 2bc13100 0000000000'
const WEBP_EXTENDED = '52494646 00000000 57454250 56503858 0a000000 10000000 2b0100 c70000'

test.each([
  ['PNG', PNG],
  ['JPEG', JPEG],
  ['lossy WebP', WEBP_LOSSY],
  ['lossless WebP', WEBP_LOSSLESS],
  ['extended WebP', WEBP_EXTENDED],
])('readImageSize() reads the head of a %s', (_, hex) => {
  expect(readImageSize(toBytes(hex))).toEqual({ width: 300, height: 200 })
})

function toBytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}
