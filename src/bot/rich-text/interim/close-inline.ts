import type { Nodes } from 'mdast'
import { classOf, isFirstHalf, runLength } from '../parse/characters.ts'
import { isHalfEntity, isHalfFormula, isHalfLink, isHalfTag } from './half-signs.ts'

/** A bracket that is open for longer belongs to no link. */
const LINK_TEXT_CHARS_MAX = 300
/** So many signs without an end are no emphasis. */
const OPEN_MAX = 30
const FORMULA_SIGNS = new Map([
  ['(', '\\)'],
  ['[', '\\]'],
])

interface OpenSigns {
  end: number
  holes: number[]
  /** Emphasis, code and formulas to be closed, from the outermost on, by the sign that does it. */
  open: { at: number; sign: string }[]
}

/**
 * Closes what the last paragraph, heading or cell of a text leaves open. Signs that may
 * become several things are left out: brackets and addresses of links, half tags, a sign at the end.
 */
export function closeInline(text: string, leaf: Nodes, from: number): string {
  const children = inlineChildren(leaf)
  const contentEnd = children.at(-1)?.position?.end.offset ?? 0
  if (children.length === 0 || contentEnd <= from || isOver(text, leaf, contentEnd)) return text
  const found = scan(text, children, contentEnd)
  const isClosed = found.open.length === 0 && found.holes.length === 0
  if (isClosed && found.end === contentEnd) return text
  const { end, holes, open } = found
  let closed = holes
    .filter((hole) => hole < end)
    .toSorted((a, b) => b - a)
    .reduce((rest, hole) => rest.slice(0, hole) + rest.slice(hole + 1), text.slice(0, end))
    .trimEnd()
  for (let last = open.at(-1); last && closed.endsWith(last.sign); last = open.at(-1)) {
    closed = closed.slice(0, -last.sign.length).trimEnd()
    open.pop()
  }
  return open.reduceRight((rest, { sign }) => rest + sign, closed)
}

function inlineChildren(leaf: Nodes): readonly Nodes[] {
  const isInline = leaf.type === 'paragraph' || leaf.type === 'heading' || leaf.type === 'tableCell'
  return isInline ? leaf.children : []
}

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
        const isFootnote = text.charAt((opened ?? at) + 1) === '^'
        if (opened !== undefined && !isFootnote && isHalfLink(text, at, contentEnd)) {
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
    const footnote = near.find((at) => text.charAt(at + 1) === '^')
    const holes = near.flatMap((at) => (text.charAt(at - 1) === '!' ? [at - 1, at] : [at]))
    const last = Math.min(end, footnote ?? end)
    const inside = open.filter(({ at }) => at < last)
    return { end: last, holes, open: inside.length > OPEN_MAX ? [] : inside }
  }
}

/** Checks whether signs may begin emphasis. Between letters they mostly do not. */
function canOpen(text: string, at: number, length: number): boolean {
  if (text.charAt(at) === '~' ? length !== 2 : length > 3) return false
  const followsNoWord = classOf(text.charAt(at - 1)) !== 'word'
  return followsNoWord && classOf(text.charAt(at + length)) !== 'blank'
}
