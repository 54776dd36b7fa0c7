import { crc32, inflateSync } from 'node:zlib'

const SIGNATURE = '\x89PNG\r\n\x1a\n'
const RGBA = 6
const PIXEL_BYTES = 4

/** A picture as a viewer sees it. */
export interface PngFile {
  width: number
  height: number
  colours: number
}

/** Reads a PNG of 8-bit RGBA, as written in ISO/IEC 15948. @throws {RangeError} If it is none. */
export function readPng(bytes: Uint8Array): PngFile {
  const file = Buffer.from(bytes)
  if (file.toString('latin1', 0, 8) !== SIGNATURE) throw new RangeError('Cannot read PNG: no PNG')
  const chunks = readChunks(file)
  if (chunks.at(-1)?.type !== 'IEND') throw new RangeError('Cannot read PNG: it is cut off')
  const header = chunks[0]?.data ?? Buffer.alloc(0)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  if (header.readUInt8(8) !== 8 || header.readUInt8(9) !== RGBA) {
    throw new RangeError('Cannot read PNG: not 8-bit RGBA')
  }
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  const pixels = unfilter(inflateSync(Buffer.concat(packed)), { width, height })
  const colours = new Set<number>()
  for (let at = 0; at < pixels.length; at += PIXEL_BYTES) colours.add(pixels.readUInt32BE(at))
  return { width, height, colours: colours.size }
}

function readChunks(file: Buffer): { type: string; data: Buffer }[] {
  const chunks = []
  for (let at = SIGNATURE.length; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at)
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) {
      throw new RangeError(`Cannot read PNG: bad sum at ${at}`)
    }
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, end) })
    at = end + 4
  }
  return chunks
}

/** Each row begins with the number of the filter that its bytes went through. */
function unfilter(rows: Buffer, { width, height }: { width: number; height: number }): Buffer {
  const rowBytes = width * PIXEL_BYTES
  if (rows.length !== height * (rowBytes + 1)) throw new RangeError('Cannot read PNG: bad length')
  const pixels = Buffer.alloc(height * rowBytes)
  for (let row = 0; row < height; row++) {
    const filter = rows.readUInt8(row * (rowBytes + 1))
    for (let index = 0; index < rowBytes; index++) {
      const at = row * rowBytes + index
      const left = index < PIXEL_BYTES ? 0 : (pixels[at - PIXEL_BYTES] ?? 0)
      const up = pixels[at - rowBytes] ?? 0
      const upLeft = index < PIXEL_BYTES ? 0 : (pixels[at - rowBytes - PIXEL_BYTES] ?? 0)
      const raw = rows[row * (rowBytes + 1) + 1 + index] ?? 0
      pixels[at] = raw + predict(filter, { left, up, upLeft })
    }
  }
  return pixels
}

function predict(
  filter: number,
  { left, up, upLeft }: { left: number; up: number; upLeft: number },
): number {
  switch (filter) {
    case 0:
      return 0
    case 1:
      return left
    case 2:
      return up
    case 3:
      return (left + up) >> 1
    case 4: {
      const [toLeft, toUp, toUpLeft] = [left, up, upLeft].map((near) =>
        Math.abs(left + up - upLeft - near),
      ) as [number, number, number]
      if (toLeft <= toUp && toLeft <= toUpLeft) return left
      return toUp <= toUpLeft ? up : upLeft
    }
    default:
      throw new RangeError(`Cannot read PNG: unknown filter ${filter}`)
  }
}
