import type { Nodes } from 'mdast'
import { classOf, isDigit, isFirstHalf, isLatinLetter, runLength } from '../parse/characters.ts'
import { TAG_NAMES } from '../parse/inline-tags.ts'

/** A bracket that is open for longer is none of a link. */
const LINK_TEXT_CHARS_MAX = 300
/** So many signs that nothing ends are no emphasis. */
const OPEN_MAX = 30
/** A sign of a formula that is open for longer is one that was only escaped. */
const FORMULA_CHARS_MAX = 1000
/** What ends the formula that begins with a backslash and the other sign. */
const FORMULA_SIGNS = new Map([
  ['(', '\\)'],
  ['[', '\\]'],
])
const ENTITY_CHARS_MAX = 32
const TAG_STARTS = [...TAG_NAMES.flatMap((name) => [`${name}>`, `/${name}>`]), 'http', 'mailto:']

/** What a scan of the last paragraph found open. */
interface OpenSigns {
  /** Where the text ends for now. */
  end: number
  /** Brackets that are left out. */
  holes: number[]
  /** Emphasis and code to be ended, from the outermost on. */
  open: { at: number; sign: string }[]
}

/**
 * Closes what the last paragraph, heading or cell of a text leaves open. Signs that do not say yet
 * what they are wait: brackets and addresses of links, half tags, signs of emphasis at the end.
 */
export function closeInline(text: string, leaf: Nodes, from: number): string {
  const children = inlineChildren(leaf)
  const contentEnd = children.at(-1)?.position?.end.offset ?? 0
  if (children.length === 0 || contentEnd <= from || isOver(text, leaf, contentEnd)) return text
  const found = scan(text, children, contentEnd)
  const isClosed = found.open.length === 0 && found.holes.length === 0
  if (isClosed && found.end === contentEnd) return text
  let closed = ''
  let at = 0
  for (const hole of found.holes.toSorted((a, b) => a - b)) {
    if (hole >= found.end) continue
    closed += text.slice(at, hole)
    at = hole + 1
  }
  closed = `${closed}${text.slice(at, found.end)}`.trimEnd()
  const { open } = found
  for (let last = open.at(-1); last && closed.endsWith(last.sign); last = open.at(-1)) {
    closed = closed.slice(0, -last.sign.length).trimEnd()
    open.pop()
  }
  return (
    closed +
    open
      .map(({ sign }) => sign)
      .toReversed()
      .join('')
  )
}

function inlineChildren(leaf: Nodes): readonly Nodes[] {
  const isInline = leaf.type === 'paragraph' || leaf.type === 'heading' || leaf.type === 'tableCell'
  return isInline ? leaf.children : []
}

/** Whether nothing of what follows can belong to it any more. */
function isOver(text: string, leaf: Nodes, contentEnd: number): boolean {
  const rest = text.slice(contentEnd)
  if (leaf.type === 'paragraph') return rest.split('\n').length > 2
  return rest.includes('\n') || (leaf.type === 'tableCell' && rest.includes('|'))
}

function scan(text: string, children: readonly Nodes[], contentEnd: number): OpenSigns {
  const open: OpenSigns['open'] = []
  const brackets: number[] = []
  for (const node of children) {
    if (node.type !== 'text') continue
    const nodeEnd = node.position?.end.offset ?? contentEnd
    for (let at = node.position?.start.offset ?? contentEnd; at < nodeEnd; at++) {
      const character = text.charAt(at)
      if (character === '\\') {
        if (at === contentEnd - 1) return stop(at)
        at++
        const closing = FORMULA_SIGNS.get(text.charAt(at))
        if (closing !== undefined && isHalfFormula(text, at, contentEnd)) {
          open.push({ at, sign: closing })
          return stop(text.endsWith('\\', contentEnd) ? contentEnd - 1 : contentEnd)
        }
      } else if (character === '`') {
        const length = runLength(text, at)
        if (at + length >= contentEnd) return stop(at)
        open.push({ at, sign: '`'.repeat(length) })
        return stop(contentEnd)
      } else if (character === '*' || character === '_' || character === '~') {
        const length = runLength(text, at)
        if (at + length >= contentEnd) return stop(at)
        if (canOpen(text, at, length)) open.push({ at, sign: character.repeat(length) })
        at += length - 1
      } else if (character === '[') brackets.push(at)
      else if (character === ']') {
        const opened = brackets.pop()
        const isNote = text.charAt((opened ?? at) + 1) === '^'
        if (opened !== undefined && !isNote && isHalfLink(text, at, contentEnd)) {
          brackets.push(opened)
          return stop(at)
        }
      } else if (character === '<' && isHalfTag(text.slice(at + 1, contentEnd))) return stop(at)
      else if (character === '&' && isHalfEntity(text.slice(at + 1, contentEnd))) return stop(at)
      else if (at === contentEnd - 1 && isFirstHalf(character)) return stop(at)
    }
  }
  return stop(contentEnd)

  function stop(end: number): OpenSigns {
    const near = brackets.filter((at) => end - at <= LINK_TEXT_CHARS_MAX)
    const note = near.find((at) => text.charAt(at + 1) === '^')
    const holes = near.flatMap((at) => (text.charAt(at - 1) === '!' ? [at - 1, at] : [at]))
    const last = Math.min(end, note ?? end)
    const inside = open.filter(({ at }) => at < last)
    return { end: last, holes, open: inside.length > OPEN_MAX ? [] : inside }
  }
}

/** Signs between letters are mostly none of emphasis. */
function canOpen(text: string, at: number, length: number): boolean {
  if (text.charAt(at) === '~' ? length !== 2 : length > 3) return false
  const isApart = classOf(text.charAt(at - 1)) !== 'word'
  return isApart && classOf(text.charAt(at + length)) !== 'blank'
}

/** Whether the sign behind a backslash begins a formula that may end later. */
function isHalfFormula(text: string, at: number, contentEnd: number): boolean {
  if (contentEnd - at > FORMULA_CHARS_MAX) return false
  const isLineStart = at < 2 || text.charAt(at - 2) === '\n'
  const isBlankBehind = at + 1 >= contentEnd || classOf(text.charAt(at + 1)) === 'blank'
  return text.charAt(at) === '(' || isLineStart || isBlankBehind
}

/** Whether what stands from a closing bracket on may become the address of a link. */
function isHalfLink(text: string, at: number, contentEnd: number): boolean {
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

function isHalfTag(rest: string): boolean {
  const lower = rest.toLowerCase()
  if (lower.includes('>') || lower.includes(' ')) return false
  return TAG_STARTS.some((start) => start.startsWith(lower) || isAddress(start, lower))
}

function isAddress(start: string, rest: string): boolean {
  return !start.endsWith('>') && rest.startsWith(start)
}

function isHalfEntity(rest: string): boolean {
  if (rest.length > ENTITY_CHARS_MAX) return false
  return [...rest].every(
    (character, index) =>
      isLatinLetter(character) || isDigit(character) || (index === 0 && character === '#'),
  )
}
