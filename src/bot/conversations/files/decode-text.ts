import { analyse } from 'chardet'

/** Enough bytes to distinguish charsets, and texts from other files. */
const SAMPLE_BYTES = 16 * 1024
/** The share of high bytes of Latin or Cyrillic at the odd or even places of UTF-16, and at the other places. */
const HIGH_MIN = 0.7
const LOW_MAX = 0.1
/** Below this confidence chardet mistakes a line of Russian for Hebrew. */
const CONFIDENCE_MIN = 60
/** Charsets of which chardet is wrongly sure for a word in CP866. */
const LATIN = /^(iso-8859-(1|2|9)|windows-125[02])$/i
/** The share of non-ASCII bytes beside each other: high in Russian, low in French and German. */
const NEIGHBOURS_MIN = 0.7
const CYRILLIC = ['windows-1251', 'koi8-r', 'ibm866']
/** Control characters that no text has: all but blanks, line breaks and the colours of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/g
const CONTROLS_MAX = 0.01

/** Returns undefined if the bytes are no text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const text = decode(utf16Of(sample), bytes) ?? decodeBytes(bytes, sample)
  const controls = text?.slice(0, SAMPLE_BYTES).match(CONTROLS)?.length ?? 0
  if (text === undefined || controls > Math.min(text.length, SAMPLE_BYTES) * CONTROLS_MAX) {
    return undefined
  }
  return text.replace(/\r\n?/g, '\n')
}

function decodeBytes(bytes: Uint8Array, sample: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  return decode('utf-8', bytes) ?? decode(olderCharset(sample), bytes)
}

/** Recognizes UTF-16 by its mark, or by its zeros: Latin in UTF-16 is valid UTF-8 as well. */
function utf16Of(sample: Uint8Array): string | undefined {
  const [first, second] = sample
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const pairs = sample.length >> 1
  if (pairs === 0 || sample.length % 2 === 1) return undefined
  const isHigh = (byte: number, at: number, parity: number) =>
    at % 2 === parity && (byte === 0 || byte === 4)
  const even = sample.filter((byte, at) => isHigh(byte, at, 0)).length / pairs
  const odd = sample.filter((byte, at) => isHigh(byte, at, 1)).length / pairs
  if (odd >= HIGH_MIN && even <= LOW_MAX) return 'utf-16le'
  return even >= HIGH_MIN && odd <= LOW_MAX ? 'utf-16be' : undefined
}

function olderCharset(sample: Uint8Array): string {
  // chardet mistakes two letters of Russian for UTF-32.
  const best = analyse(sample).find(({ name }) => !/^(utf|ascii)/i.test(name) && isKnown(name))
  if (best === undefined) return bestCyrillic(sample)
  const isSure = best.confidence >= CONFIDENCE_MIN && !LATIN.test(best.name)
  return isSure || !isDense(sample) ? best.name : bestCyrillic(sample)
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== ''
  } catch {
    return false
  }
}

function isDense(sample: Uint8Array): boolean {
  const isBeyond = (at: number) => (sample[at] ?? 0) >= 0x80
  const beyond = [...sample.keys()].filter(isBeyond)
  const beside = beyond.filter((at) => isBeyond(at - 1) || isBeyond(at + 1))
  return beside.length >= beyond.length * NEIGHBOURS_MIN
}

/** Finds the charset with the most small letters: in a wrong charset they are capitals, or frames of tables. */
function bestCyrillic(sample: Uint8Array): string {
  const smallLetters = (charset: string) => decode(charset, sample)?.match(/[а-яё]/g)?.length ?? 0
  const [best] = CYRILLIC.toSorted((a, b) => smallLetters(b) - smallLetters(a))
  return best as string
}

function decode(charset: string | undefined, bytes: Uint8Array): string | undefined {
  if (charset === undefined) return undefined
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    // The bytes are of another charset.
    return undefined
  }
}
