import type { Nodes } from 'mdast'
import { classOf, runLength } from './characters.ts'
import { type ParsedText, parseMarkdown } from './parse.ts'
import { TAG_NAMES } from './tags.ts'

/** The parts of block markers: signs, the `x` of a task, the number of an item. */
const MARKERS = /^(?:[-=*+_#|:`~$>[\] \t.)]|(?<=\[)x|\d{1,9}(?=[.)]|$))*$/i
/** A link or formula that is open for longer is text. */
const LINK_CHARS_MAX = 1000
/** More signs without an end are no emphasis. */
const OPEN_MAX = 30
/** A link with an unfinished address or title. */
const HALF_ADDRESS = /\](?:\([^)\s]*(?:\([^)\s]*\)?[^)\s]*)*(?:\s+(?:["'(][^)]*)?)?)?$/
const HALF_TAG = /<(\/?[a-z]*|a\s[^<>]*|(?:https?|mailto):[^\s>]*)$/i
/** An unfinished entity, half an emoji, or a backslash at the end. */
const HALF_SIGN = /(?:&#?[a-z\d]{0,31}|[\ud800-\udbff]|(?<!\\)(?:\\\\)*\\)$/i
const CLOSINGS = new Map([
  ['\\(', '\\)'],
  ['\\[', '\\]'],
])

/**
 * Closes or holds back the constructs that a growing text leaves open at its end:
 * emphasis, code, links, half a fence, a table's header until the next row confirms it.
 *
 * @param from The text before it stays.
 */
export function closeTail(source: string, from: number): ParsedText {
  let text = source
  let root = parseMarkdown(text)
  for (const close of [closeFormula, withoutHalfLine, withoutTableHead, closeInline]) {
    const closed = close(text, lastLeaf(root), from)
    if (closed === text) continue
    text = closed
    root = parseMarkdown(text)
  }
  return { text, root }
}

function lastLeaf(node: Nodes): Nodes {
  if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') return node
  const last = 'children' in node ? node.children.at(-1) : undefined
  return last ? lastLeaf(last) : node
}

function closeFormula(text: string, { type }: Nodes): string {
  const at = text.lastIndexOf('\\[\n')
  const lead = text.slice(text.lastIndexOf('\n', at) + 1, Math.max(at, 0))
  const inside = text.slice(at + 3)
  const isOpen = at !== -1 && type !== 'code' && !/\\\]|\n[ \t>]*\n/.test(inside)
  if (!isOpen || !/^[ \t>]*$/.test(lead)) return text
  return `${text.slice(0, at + 3)}${inside.replace(/\\$/, '').trimEnd()}\n${lead}\\]`
}

/** Holds back a last line that may become a fence or the marker of a block. */
function withoutHalfLine(text: string, { type, position }: Nodes, from: number): string {
  const lineStart = text.lastIndexOf('\n') + 1
  const line = text.slice(lineStart).trim()
  if (lineStart < from || line === '' || type === 'html') return text
  if (type !== 'code' && type !== 'math') {
    return MARKERS.test(text.slice(lineStart)) ? text.slice(0, lineStart) : text
  }
  const start = position?.start.offset ?? text.length
  const isOpen = start < lineStart && (position?.end.offset ?? 0) >= text.length
  const isFence = '`~$'.includes(line.charAt(0)) && runLength(line, 0) === line.length
  const isHalf = isFence && text.startsWith(line, start) && line.length < runLength(text, start)
  return isOpen && isHalf ? text.slice(0, lineStart) : text
}

function withoutTableHead(text: string, { type }: Nodes, from: number): string {
  const lineStart = text.trimEnd().lastIndexOf('\n') + 1
  const line = text.slice(lineStart)
  const isHead = type === 'paragraph' && /^\s*\|/.test(line) && !line.includes('\n\n')
  return isHead && lineStart >= from ? text.slice(0, lineStart) : text
}

function closeInline(text: string, leaf: Nodes, from: number): string {
  const isInline = leaf.type === 'paragraph' || leaf.type === 'heading' || leaf.type === 'tableCell'
  const children: readonly Nodes[] = isInline ? leaf.children : []
  const contentEnd = children.at(-1)?.position?.end.offset ?? 0
  const after = text.slice(contentEnd)
  const isOver = leaf.type === 'paragraph' ? after.split('\n').length > 2 : /[\n|]/.test(after)
  if (children.length === 0 || contentEnd <= from || isOver) return text
  const texts = children.filter(({ type }) => type === 'text')
  const isPlain = (node: Nodes) => node.type === 'text' || isLiteralLink(text, node)
  const rest = children.slice(children.findLastIndex((node) => !isPlain(node)) + 1)
  const restStart = rest[0]?.position?.start.offset ?? contentEnd
  const tail = withoutHalfSigns(text.slice(restStart, contentEnd))
  const { signs, brackets, end } = findOpen(text, texts, restStart + tail.length)
  let closed = text.slice(0, end)
  for (const at of brackets.reverse()) closed = closed.slice(0, at) + closed.slice(at + 1)
  closed = closed.trimEnd()
  for (const sign of signs.reverse()) {
    closed = closed.endsWith(sign) ? closed.slice(0, -sign.length).trimEnd() : closed + sign
  }
  return end === contentEnd && closed === text.slice(0, end).trimEnd() ? text : closed
}

function isLiteralLink(text: string, { type, position }: Nodes): boolean {
  return type === 'link' && !'[<'.includes(text.charAt(position?.start.offset ?? 0))
}

function withoutHalfSigns(text: string): string {
  const near = Math.max(text.length - LINK_CHARS_MAX, 0)
  const tail = text.slice(near)
  const [tag, name = ''] = HALF_TAG.exec(tail) ?? []
  const isTag = /[\s:]/.test(name) || isTagStart(name.replace('/', '').toLowerCase())
  if (tag !== undefined && isTag) return text.slice(0, -tag.length)
  const address = tail.includes('[') ? HALF_ADDRESS.exec(tail) : undefined
  const sign = HALF_SIGN.exec(tail)
  return text.slice(0, near + Math.min(address?.index ?? tail.length, sign?.index ?? tail.length))
}

function isTagStart(name: string): boolean {
  return [...TAG_NAMES, 'details', 'a', 'http', 'mailto'].some((tag) => tag.startsWith(name))
}

const SIGNS = /\\[\s\S]?|`+|\*+|_+|~+|[[\]]/g

/** Finds the signs that close the open constructs at an offset, outermost first, and unfinished links. */
function findOpen(text: string, nodes: readonly Nodes[], end: number) {
  const signs: string[] = []
  let brackets: number[] = []
  for (const { position } of nodes) {
    const start = position?.start.offset ?? end
    const source = text.slice(start, Math.min(position?.end.offset ?? end, end))
    for (const { index, 0: run } of source.matchAll(SIGNS)) {
      const at = start + index
      const closing = run.startsWith('`') ? run : CLOSINGS.get(run)
      if (run === '[') brackets.push(at)
      else if (run === ']') brackets = brackets.slice(0, -1)
      else if (closing !== undefined && (closing === run || isHalfFormula(text, at, end))) {
        if (text.slice(at + run.length, end).trim() === '') return found(at)
        signs.push(closing)
        return found(end)
      } else if ('*_~'.includes(run.charAt(0))) {
        // The parser may have used a part of the run as an end.
        const length = runLength(text, at)
        if (at + length >= end) return found(at)
        if (canOpen(text, at, length)) signs.push(run.charAt(0).repeat(length))
      }
    }
  }
  return found(end)

  function found(until: number) {
    const near = brackets.filter((at) => until - at <= LINK_CHARS_MAX)
    const holes = near.flatMap((at) => (text.charAt(at - 1) === '!' ? [at - 1, at] : [at]))
    return { signs: signs.length > OPEN_MAX ? [] : signs, brackets: holes, end: until }
  }
}

function isHalfFormula(text: string, at: number, end: number): boolean {
  if (end - at > LINK_CHARS_MAX) return false
  const isLineStart = at === 0 || text.charAt(at - 1) === '\n'
  return text.startsWith('\\(', at) || isLineStart || classOf(text.charAt(at + 2)) === 'blank'
}

/** Checks whether signs may begin emphasis. Between letters they rarely do. */
function canOpen(text: string, at: number, length: number): boolean {
  if (text.charAt(at) === '~' ? length !== 2 : length > 3) return false
  const followsNoWord = classOf(text.charAt(at - 1)) !== 'word'
  return followsNoWord && classOf(text.charAt(at + length)) !== 'blank'
}
