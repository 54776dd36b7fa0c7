import type { Nodes } from 'mdast'
import { classOf, runLength } from './characters.ts'
import { type ParsedText, parseMarkdown } from './parse.ts'
import { TAG_NAMES } from './tags.ts'

/** The parts of the markers of blocks: signs, the `x` of a task, the number of an item. */
const MARKERS = /^(?:[-=*+_#|:`~$>[\] \t.)]|(?<=\[)x|\d{1,9}(?=[.)]|$))*$/i
/** A link, or a formula, that is open for longer is text. */
const LINK_CHARS_MAX = 1000
/** So many signs without an end are no emphasis. */
const OPEN_MAX = 30
/** A link whose address, or title, has not ended. */
const HALF_ADDRESS =
  /(?<!\[\^[^\]\s]{0,40})\](?:\([^)\s]*(?:\([^)\s]*\)?[^)\s]*)*(?:\s+(?:["'(][^)]*)?)?|\[[^\]]*)?$/
const HALF_TAG = /<(\/?[a-z]*|a\s[^<>]*|(?:https?|mailto):[^\s>]*)$/i
/** A footnote, an entity, half an emoji, or a backslash that nothing follows yet. */
const HALF_SIGN = /(?:\[\^[^\]\s]*|&#?[a-z\d]{0,31}|[\ud800-\udbff]|(?<!\\)(?:\\\\)*\\)$/i
const CLOSINGS = new Map([
  ['(', '\\)'],
  ['[', '\\]'],
])

/**
 * Closes for the moment the constructs that a growing text leaves open at its end, or holds them back:
 * emphasis, code, links, half a fence, the header of a table until the row after it makes it one.
 *
 * @param from Where it begins: the text before that stays.
 */
export function closeTail(text: string, from: number): ParsedText {
  const formula = closeFormula(text)
  if (formula) return formula
  let root = parseMarkdown(text)
  let leaf = lastLeaf(root)
  if (leaf.type === 'html') return { text, root }
  let closed = text
  if (leaf.type === 'code' || leaf.type === 'math') closed = withoutHalfFence(text, leaf)
  else {
    const lineStart = text.lastIndexOf('\n') + 1
    const line = text.slice(lineStart)
    if (lineStart >= from && line.trim() !== '' && MARKERS.test(line)) {
      closed = text.slice(0, lineStart)
      root = parseMarkdown(closed)
      leaf = lastLeaf(root)
    }
    const withoutHead = withoutTableHead(closed, leaf, from)
    if (withoutHead !== closed) leaf = lastLeaf(parseMarkdown(withoutHead))
    const before = closed
    closed = closeInline(withoutHead, leaf, from)
    if (closed === before) return { text: closed, root }
  }
  return closed === text ? { text, root } : { text: closed, root: parseMarkdown(closed) }
}

/** Closes a formula of several lines. Its lines could be those of a list as well. */
function closeFormula(text: string): ParsedText | undefined {
  const at = text.lastIndexOf('\\[\n')
  const lead = text.slice(text.lastIndexOf('\n', at) + 1, Math.max(at, 0))
  const inside = text.slice(at + 3)
  if (at === -1 || !/^[ \t>]*$/.test(lead) || /\\\]|\n[ \t>]*\n/.test(inside)) return undefined
  const shown = text.slice(0, at + 3) + inside.replace(/\\$/, '').trimEnd()
  const closed = `${shown}\n${lead}\\]`
  const root = parseMarkdown(closed)
  return lastLeaf(root).type === 'math' ? { text: closed, root } : undefined
}

function lastLeaf(node: Nodes): Nodes {
  if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') return node
  const last = 'children' in node ? node.children.at(-1) : undefined
  return last ? lastLeaf(last) : node
}

function withoutHalfFence(text: string, { position }: Nodes): string {
  const start = position?.start.offset ?? text.length
  const lineStart = text.lastIndexOf('\n') + 1
  if (lineStart <= start || (position?.end.offset ?? 0) < text.length) return text
  const sign = text.charAt(start)
  const line = text.slice(lineStart).trim()
  const isSign = '`~$'.includes(sign) && line.startsWith(sign) && runLength(line, 0) === line.length
  return isSign && line.length < runLength(text, start) ? text.slice(0, lineStart) : text
}

/** Holds back a last line that may be the head of a table. */
function withoutTableHead(text: string, { type }: Nodes, from: number): string {
  const lineStart = text.trimEnd().lastIndexOf('\n') + 1
  const line = text.slice(lineStart)
  const isHead = type === 'paragraph' && /^\s*\|/.test(line) && !line.includes('\n\n')
  return isHead && lineStart >= from ? text.slice(0, lineStart) : text
}

/** Closes what the last paragraph, heading or cell leaves open. */
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

/** Checks for an address that is a link without any signs around it. */
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

/** Finds the signs that close what is open at an offset, from the outermost on, and brackets of links without an end. */
function findOpen(text: string, nodes: readonly Nodes[], end: number) {
  const signs: string[] = []
  let brackets: number[] = []
  for (const { position } of nodes) {
    const nodeEnd = Math.min(position?.end.offset ?? end, end)
    for (let at = position?.start.offset ?? end; at < nodeEnd; at++) {
      const character = text.charAt(at)
      const length = runLength(text, at)
      if (character === '\\') {
        at++
        const closing = CLOSINGS.get(text.charAt(at))
        if (closing !== undefined && isHalfFormula(text, at, end)) {
          if (text.slice(at + 1, end).trim() === '') return found(at - 1)
          signs.push(closing)
          return found(end)
        }
      } else if (character === '`') {
        if (at + length >= end) return found(at)
        signs.push('`'.repeat(length))
        return found(end)
      } else if ('*_~'.includes(character)) {
        if (at + length >= end) return found(at)
        if (canOpen(text, at, length)) signs.push(character.repeat(length))
        at += length - 1
      } else if (character === '[') brackets.push(at)
      else if (character === ']') brackets = brackets.slice(0, -1)
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
  const isLineStart = at < 2 || text.charAt(at - 2) === '\n'
  const isBlankAfter = at + 1 >= end || classOf(text.charAt(at + 1)) === 'blank'
  return text.charAt(at) === '(' || isLineStart || isBlankAfter
}

/** Checks whether signs may begin emphasis. Between letters they mostly do not. */
function canOpen(text: string, at: number, length: number): boolean {
  if (text.charAt(at) === '~' ? length !== 2 : length > 3) return false
  const followsNoWord = classOf(text.charAt(at - 1)) !== 'word'
  return followsNoWord && classOf(text.charAt(at + length)) !== 'blank'
}
