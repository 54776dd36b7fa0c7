/** The bytes of a text in one of the charsets of a byte a letter. */
export function encode(text: string, charset: string): Buffer {
  const decoder = new TextDecoder(charset)
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  )
  return Buffer.from(
    Array.from(text, (letter) => {
      const byte = bytes.get(letter)
      if (byte === undefined) throw new RangeError(`${charset} has no "${letter}"`)
      return byte
    }),
  )
}

/** The same in UTF-16, of which Node writes only one order. */
export function encodeUtf16(text: string, order: 'le' | 'be', { hasMark = false } = {}): Buffer {
  const bytes = Buffer.from(hasMark ? `\u{feff}${text}` : text, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}
