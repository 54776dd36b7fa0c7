export type Media = 'video' | 'image' | 'sound'

export interface MediaType {
  media: Media
  contentType: string
  extension: string
}

/** The first match counts. `head` matches the first bytes, read as Latin-1. */
const TYPES: readonly (MediaType & { head: RegExp })[] = [
  type('image', 'image/png', 'png', /^\x89PNG\r\n.\n/s),
  type('image', 'image/jpeg', 'jpg', /^\xff\xd8\xff/),
  type('image', 'image/gif', 'gif', /^GIF8[79]a/),
  type('image', 'image/webp', 'webp', /^RIFF.{4}WEBP/s),
  type('image', 'image/avif', 'avif', /^.{4}ftypavi[fs]/s),
  type('sound', 'audio/wav', 'wav', /^RIFF.{4}WAVE/s),
  type('sound', 'audio/mpeg', 'mp3', /^(?:ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/),
  type('sound', 'audio/ogg', 'ogg', /^OggS/),
  type('sound', 'audio/flac', 'flac', /^fLaC/),
  type('sound', 'audio/aac', 'aac', /^\xff[\xf0\xf1\xf8\xf9]/),
  type('sound', 'audio/mp4', 'm4a', /^.{4}ftypM4[AB] /s),
  type('video', 'video/quicktime', 'mov', /^.{4}ftypqt {2}/s),
  // HEIF pictures have boxes like MP4, and only one browser shows them.
  type('video', 'video/mp4', 'mp4', /^.{4}ftyp(?!mif1|msf1|he[iv][a-z])/s),
  type('video', 'video/webm', 'webm', /^.E\xdf\xa3.*webm/s),
]

const HEAD_BYTES = 64

export function recogniseMedia(bytes: Uint8Array): MediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')
  return TYPES.find((known) => known.head.test(head))
}

/** Recognises a file that is arriving. @returns Its type and all of its bytes. @throws If it is empty. */
export async function recogniseStream(
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ type: MediaType | undefined; bytes: AsyncIterable<Uint8Array> }> {
  const iterator = pieces[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let size = 0
  while (size < HEAD_BYTES) {
    const { done, value } = await iterator.next()
    if (done) break
    seen.push(value)
    size += value.byteLength
  }
  if (size === 0) throw new Error('Cannot read file: it is empty')
  return { type: recogniseMedia(Buffer.concat(seen)), bytes: fromTheStart() }

  async function* fromTheStart(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* seen
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  }
}

export function extensionsOf(media: Media): string[] {
  return TYPES.filter((known) => known.media === media).map(({ extension }) => extension)
}

export function toContentType(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return (
    TYPES.find((known) => known.extension === extension)?.contentType ?? 'application/octet-stream'
  )
}

function type(media: Media, contentType: string, extension: string, head: RegExp) {
  return { media, contentType, extension, head }
}

export interface ImageSize {
  width: number
  height: number
}

/** Reads the size from the header of a PNG, JPEG or WebP; undefined for anything else. */
export function readImageSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  if (bytes.length >= 30 && bytes.toString('latin1', 8, 12) === 'WEBP') return readWebpSize(bytes)
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? readJpegSize(bytes) : undefined
}

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

function readWebpSize(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  }
  return undefined
}
