import type { Nodes } from 'mdast'
import { isDigit } from './characters.ts'

/**
 * The signs for which the parser's time grows with the square of their number between two blank lines. No
 * prose has so many: only the first ones mean something.
 */
const KINDS: Readonly<Record<string, { group: string; max: number }>> = {
  '*': { group: 'emphasis', max: 800 },
  _: { group: 'emphasis', max: 800 },
  '~': { group: 'strike', max: 200 },
  '[': { group: 'bracket', max: 400 },
  ']': { group: 'bracket', max: 400 },
  '<': { group: 'tag', max: 300 },
}
const COUNTED = new Uint8Array(128)
for (const character of ['\n', ...Object.keys(KINDS)]) COUNTED[character.charCodeAt(0)] = 1
/** Blocks that one line opens. Telegram takes 16 levels. */
const LINE_MARKERS_MAX = 32

const SIGNS = [...'*_~[]<>-+.)`']
/** Several of these in a row are one sign. */
const RUNNING = '*_~'
/** The first of the characters that Unicode keeps for uses like this one: no text has them. */
const FIRST_MASK = 0xfdd0
const MASKS = new Map(SIGNS.map((sign, index) => [sign, String.fromCharCode(FIRST_MASK + index)]))
/** Hides one sign, which has a stand-in. */
export function maskSign(sign: string): string {
  return MASKS.get(sign) ?? sign
}

const MASKED = new RegExp(
  `[\\u{${FIRST_MASK.toString(16)}}-\\u{${(FIRST_MASK + SIGNS.length - 1).toString(16)}}]`,
  'gu',
)

/**
 * Replaces the signs that would take the parser too long by stand-ins. `unmask()` gives the signs back
 * to the tree of the text. No other character changes, and none moves.
 */
export function maskCostly(source: string): string {
  let masked = ''
  let from = 0
  let counts: Record<string, number> = {}
  let markers = 0
  let isLineStart = true
  for (let at = 0; at < source.length; at++) {
    if (!isLineStart && COUNTED[source.charCodeAt(at)] !== 1) continue
    const character = source.charAt(at)
    if (character === '\n') {
      if (source.charAt(at + 1) === '\n') counts = {}
      markers = 0
      isLineStart = true
    } else if (isTooMuch(character, at)) {
      masked += source.slice(from, at) + (MASKS.get(character) ?? character)
      from = at + 1
    }
  }
  return masked === '' ? source : masked + source.slice(from)

  function isTooMuch(character: string, at: number): boolean {
    if (isLineStart) {
      const isMarker = isMarkerAt(source, at)
      if (isMarker && ++markers > LINE_MARKERS_MAX) return true
      isLineStart = isMarker || isBlank(character) || isDigit(character)
      if (isMarker) return false
    }
    const kind = KINDS[character]
    if (kind === undefined) return false
    const count = counts[kind.group] ?? 0
    const isRun = RUNNING.includes(character) && source.charAt(at - 1) === character
    counts[kind.group] = isRun ? count : count + 1
    return count >= kind.max
  }
}

/** Gives a tree back the signs that were hidden from the parser. */
export function unmask(node: Nodes): void {
  if ('value' in node) node.value = toSigns(node.value)
  if ('url' in node) node.url = toSigns(node.url)
  if ('alt' in node && node.alt) node.alt = toSigns(node.alt)
  if ('label' in node && node.label) node.label = toSigns(node.label)
  if ('children' in node) for (const child of node.children) unmask(child)
}

export function isMasked(source: string): boolean {
  return source.search(MASKED) !== -1
}

function toSigns(text: string): string {
  return text.replaceAll(MASKED, (mask) => SIGNS[mask.charCodeAt(0) - FIRST_MASK] ?? mask)
}

function isMarkerAt(source: string, at: number): boolean {
  const character = source.charAt(at)
  if (character === '>') return true
  const next = source.charAt(at + 1)
  if (!isBlank(next) && next !== '\n' && next !== '') return false
  if ('-*+'.includes(character)) return true
  return '.)'.includes(character) && isDigit(source.charAt(at - 1))
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t'
}
