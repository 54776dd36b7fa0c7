/** The bounds of a JSON text beside its bytes. */
export interface JsonBounds {
  depthMax: number
  valuesMax: number
}

/** A search by the machine's own instructions is dear to begin: it pays in strings that are longer. */
const NATIVE_FROM = 32

const QUOTE = 0x22
const BACKSLASH = 0x5c

const IS_OPENING = markBytes('[{')
const IS_CLOSING = markBytes(']}')
const COMMA = 0x2c

/**
 * Counts values and depth of JSON while its bytes come, so that what is too much is never parsed. A string
 * of any length costs next to nothing, anything else about as much as copying it.
 *
 * Grammar is the parser's: of text that is no JSON the counts mean nothing, and the parser refuses it at
 * the first byte that is wrong.
 */
export function createJsonScanner({ depthMax, valuesMax }: JsonBounds) {
  let depth = 0
  let deepest = 0
  let values = 0
  let isInString = false
  let isEscaped = false
  return { read, values: () => values }

  function read(bytes: Buffer): keyof JsonBounds | undefined {
    let index = 0
    while (index < bytes.length)
      index = isInString ? readString(bytes, index) : readRest(bytes, index)
    if (deepest > depthMax) return 'depthMax'
    return values > valuesMax ? 'valuesMax' : undefined
  }

  function readRest(bytes: Buffer, from: number): number {
    for (let index = from; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0
      if (byte === QUOTE) {
        isInString = true
        return index + 1
      }
      if (byte === COMMA) values += 1
      else if (IS_OPENING[byte] === 1) {
        values += 1
        depth += 1
        if (depth > deepest) deepest = depth
      } else if (IS_CLOSING[byte] === 1) depth -= 1
    }
    return bytes.length
  }

  function readString(bytes: Buffer, from: number): number {
    const nearEnd = Math.min(bytes.length, from + NATIVE_FROM)
    for (let index = from; index < nearEnd; index += 1) {
      const byte = bytes[index]
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) {
        isInString = false
        return index + 1
      }
    }
    const start = isEscaped ? nearEnd + 1 : nearEnd
    if (start >= bytes.length) {
      isEscaped &&= nearEnd === bytes.length
      return bytes.length
    }
    const quote = bytes.indexOf(QUOTE, start)
    const end = quote === -1 ? bytes.length : quote
    let first = end
    while (first > start && bytes[first - 1] === BACKSLASH) first -= 1
    // Of a row of backslashes every second one is escaped itself.
    isEscaped = (end - first) % 2 === 1
    return end
  }
}

function markBytes(characters: string): Uint8Array {
  const marks = new Uint8Array(256)
  for (const character of characters) marks[character.charCodeAt(0)] = 1
  return marks
}
