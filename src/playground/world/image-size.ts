/** Width and height in pixels. */
export interface ImageSize {
  width: number
  height: number
}

/** Reads the size from the header of a PNG or JPEG; `undefined` for anything else. */
export function readImageSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? readJpegSize(bytes) : undefined
}

/** Walks the segments up to the frame header, which holds the size. */
function readJpegSize(bytes: Buffer): ImageSize | undefined {
  let offset = 2
  while (offset + 9 <= bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0
    const isFrameHeader = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrameHeader) {
      return { width: bytes.readUInt16BE(offset + 7), height: bytes.readUInt16BE(offset + 5) }
    }
    offset += 2 + bytes.readUInt16BE(offset + 2)
  }
  return undefined
}
