/** The beginnings of files, by which their types are known; what follows them is not read here. */
export const MP4 = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0 the frames of a video', 'latin1')
export const PNG = Buffer.from('\x89PNG\r\n\x1a\n the rows of a picture', 'latin1')

/** A picture as far as its size. */
export function pngOf({ width, height }: { width: number; height: number }): Buffer {
  const header = Buffer.alloc(33)
  header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  header.writeUInt32BE(width, 16)
  header.writeUInt32BE(height, 20)
  return header
}
