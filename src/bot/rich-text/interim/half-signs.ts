import { classOf } from '../parse/characters.ts'
import { TAG_NAMES } from '../parse/inline-tags.ts'

/** The parts of the markers of blocks: signs, the `x` of a task, the number of an item. */
const MARKERS = /^(?:[-=*+_#|:`~$>[\] \t.)]|(?<=\[)x|\d{1,9}(?=[.)]|$))*$/i
/** A formula that is open for longer is an escaped bracket. */
const FORMULA_CHARS_MAX = 1000
const ENTITY_CHARS_MAX = 32
/** A tag that is open for longer is no link. */
const LINK_TAG_CHARS_MAX = 1000
const HALF_LINK_TAG =
  /^a\s+(?:[a-z-]+\s*=\s*(?:"[^"]*"|'[^']*')\s*)*(?:[a-z-]*|[a-z-]+=(?:"[^"]*|'[^']*)?)$/
const TAG_STARTS = [
  ...[...TAG_NAMES, 'details', 'a'].flatMap((name) => [`${name}>`, `/${name}>`]),
  'http',
  'mailto:',
]

/** Checks whether the last line of a text may so far be nothing but the marker of a block. */
export function isHalfMarker(line: string): boolean {
  return line.trim() !== '' && MARKERS.test(line)
}

/** Checks whether the bracket after a backslash may begin a formula that ends later. */
export function isHalfFormula(text: string, at: number, contentEnd: number): boolean {
  if (contentEnd - at > FORMULA_CHARS_MAX) return false
  const isLineStart = at < 2 || text.charAt(at - 2) === '\n'
  const isBlankAfter = at + 1 >= contentEnd || classOf(text.charAt(at + 1)) === 'blank'
  return text.charAt(at) === '(' || isLineStart || isBlankAfter
}

/** Checks whether the text after a closing bracket may become the address of a link. */
export function isHalfLink(text: string, at: number, contentEnd: number): boolean {
  if (at + 1 >= contentEnd) return true
  const rest = text.slice(at + 2, contentEnd)
  if (text.charAt(at + 1) === '[') return !rest.includes(']')
  if (text.charAt(at + 1) !== '(') return false
  const [address = '', ...title] = rest.trimStart().split(/\s+/)
  const isAddress = !hasUnpairedEnd(address)
  return isAddress && (title.length === 0 || title[0] === '' || /^["'(]/.test(title[0] ?? ''))
}

function hasUnpairedEnd(address: string): boolean {
  let depth = 0
  for (const character of address) {
    if (character === '(') depth++
    if (character === ')' && --depth < 0) return true
  }
  return false
}

/** Checks whether the text after a `<` may become a tag or an address. */
export function isHalfTag(rest: string): boolean {
  const lower = rest.toLowerCase()
  if (lower.includes('>')) return false
  if (HALF_LINK_TAG.test(lower)) return rest.length <= LINK_TAG_CHARS_MAX
  if (lower.includes(' ')) return false
  return TAG_STARTS.some((start) => start.startsWith(lower) || isAddress(start, lower))
}

function isAddress(start: string, rest: string): boolean {
  return !start.endsWith('>') && rest.startsWith(start)
}

/** Checks whether the text after a `&` may become an entity. */
export function isHalfEntity(rest: string): boolean {
  return rest.length <= ENTITY_CHARS_MAX && /^#?[a-z\d]*$/i.test(rest)
}
