import { analyse } from 'chardet'

/** Enough bytes to distinguish charsets, and texts from other files; more would only cost time. */
const SAMPLE_BYTES = 16 * 1024
/** The part of Latin or Cyrillic among the higher bytes of UTF-16 without a mark, and among its lower ones. */
const HIGH_PERCENT_MIN = 70
const LOW_PERCENT_MAX = 10
/** The confidence from which on chardet is right; below it takes a line of Russian for Hebrew. */
const CONFIDENCE_MIN = 60
/** The charsets that chardet is wrongly sure of, for a word of CP866. */
const LATIN = /^(iso-8859-(1|2|9)|windows-125[02])$/i
/** The part of letters beyond ASCII with another one beside them: most in Russian, few in French and German. */
const NEIGHBOURS_PERCENT_MIN = 70
const CYRILLIC = ['windows-1251', 'koi8-r', 'ibm866']
/** The control characters that texts do not have: all but blanks, breaks and the colours of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/g
const CONTROLS_PERCENT_MAX = 1

/**
 * Reads a text in whatever charset it is: by its mark, as UTF-16 without one, as UTF-8, or as the older
 * charset that fits best.
 *
 * @returns Undefined for bytes that are no text.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const text = decodeMarked(bytes) ?? decodeUtf16(bytes) ?? decodeBytes(bytes)
  if (text === undefined || isBinary(text.slice(0, SAMPLE_BYTES))) return undefined
  return text.replace(/\r\n?/g, '\n')
}

function decodeBytes(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  return decode('utf-8', bytes) ?? decode(guessCharset(sample), bytes)
}

function decodeMarked(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decode('utf-16le', bytes)
  return first === 0xfe && second === 0xff ? decode('utf-16be', bytes) : undefined
}

/** Decodes UTF-16 without a mark. Latin in it is valid UTF-8 as well, with zeros for half of its bytes. */
function decodeUtf16(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const pairs = sample.length >> 1
  if (pairs === 0 || bytes.length % 2 === 1) return undefined
  const percents = [0, 1].map((first) => {
    let found = 0
    for (let at = first; at < pairs * 2; at += 2) if (isHighByte(sample[at])) found++
    return (found * 100) / pairs
  })
  const [even = 0, odd = 0] = percents
  if (odd >= HIGH_PERCENT_MIN && even <= LOW_PERCENT_MAX) return decode('utf-16le', bytes)
  return even >= HIGH_PERCENT_MIN && odd <= LOW_PERCENT_MAX ? decode('utf-16be', bytes) : undefined
}

function isHighByte(byte: number | undefined): boolean {
  return byte === 0 || byte === 4
}

function guessCharset(sample: Uint8Array): string {
  const [best] = analyse(sample).filter(({ name }) => isOld(name))
  if (best === undefined) return bestCyrillic(sample)
  const isSure = best.confidence >= CONFIDENCE_MIN && !LATIN.test(best.name)
  return isSure || !hasNeighbours(sample) ? best.name : bestCyrillic(sample)
}

/** Checks whether a charset is none of Unicode's, and known here. chardet takes two letters of Russian for UTF-32. */
function isOld(charset: string): boolean {
  if (/^(utf|ascii)/i.test(charset)) return false
  try {
    return new TextDecoder(charset).encoding !== ''
  } catch {
    return false
  }
}

function hasNeighbours(sample: Uint8Array): boolean {
  const isBeyond = (byte: number | undefined) => byte !== undefined && byte >= 0x80
  let beyond = 0
  let beside = 0
  for (const [at, byte] of sample.entries()) {
    if (!isBeyond(byte)) continue
    beyond++
    if (isBeyond(sample[at - 1]) || isBeyond(sample[at + 1])) beside++
  }
  return beside * 100 >= beyond * NEIGHBOURS_PERCENT_MIN
}

/** Finds the Cyrillic charset with the most small letters: in a wrong one they are capitals, or frames of tables. */
function bestCyrillic(sample: Uint8Array): string {
  const smallLetters = (charset: string) => decode(charset, sample)?.match(/[а-яё]/g)?.length ?? 0
  const [best = 'windows-1251'] = CYRILLIC.toSorted((a, b) => smallLetters(b) - smallLetters(a))
  return best
}

function isBinary(text: string): boolean {
  const found = text.match(CONTROLS)?.length ?? 0
  return found * 100 > text.length * CONTROLS_PERCENT_MAX
}

function decode(charset: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    // The bytes are of another charset.
    return undefined
  }
}
