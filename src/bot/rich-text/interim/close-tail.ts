import type { Nodes } from 'mdast'
import { isDigit, LIST_DIGITS_MAX, runLength } from '../parse/characters.ts'
import { type ParsedText, parseText } from '../parse/parse-markdown.ts'
import { closeInline } from './close-inline.ts'

/** Signs that a line can begin with before it is known what it will be. */
const HALF_MARKERS = new Set('-=*+_#|:`~$>[] \t')

/**
 * Closes for the moment what a growing text leaves open at its end, or holds it back: a fence that
 * is half written, the header of a table before the row that makes it one, emphasis, code, links.
 *
 * @param from Nothing in front of it is touched.
 */
export function closeTail(parsed: ParsedText, from: number): ParsedText {
  const { text, root } = parsed
  const leaf = lastLeaf(root)
  if (leaf.type === 'code' || leaf.type === 'math') {
    return reparse(parsed, withoutHalfFence(text, leaf))
  }
  if (leaf.type === 'html') return parsed
  const lineStart = text.lastIndexOf('\n') + 1
  const isHalf = lineStart >= from && isHalfMarker(text.slice(lineStart))
  return closeParagraph(isHalf ? parseText(text.slice(0, lineStart)) : parsed, from)
}

function closeParagraph(parsed: ParsedText, from: number): ParsedText {
  const { text, root } = parsed
  const leaf = lastLeaf(root)
  const lineStart = text.trimEnd().lastIndexOf('\n') + 1
  const isOpen = leaf.type === 'paragraph' && !text.slice(lineStart).includes('\n\n')
  if (isOpen && lineStart >= from && text.slice(lineStart).trimStart().startsWith('|')) {
    const shorter = parseText(text.slice(0, lineStart))
    return reparse(shorter, closeInline(shorter.text, lastLeaf(shorter.root), from))
  }
  return reparse(parsed, closeInline(text, leaf, from))
}

function reparse(parsed: ParsedText, text: string): ParsedText {
  return text === parsed.text ? parsed : parseText(text)
}

/** The innermost block that the text ends in. */
function lastLeaf(node: Nodes): Nodes {
  if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') return node
  const last = 'children' in node ? node.children.at(-1) : undefined
  return last ? lastLeaf(last) : node
}

/** The end of a code block may be on its way: what could be part of it waits. */
function withoutHalfFence(text: string, { type, position }: Nodes): string {
  const start = position?.start.offset ?? text.length
  const lineStart = text.lastIndexOf('\n') + 1
  if (lineStart <= start || (position?.end.offset ?? 0) < text.length) return text
  const sign = text.charAt(start)
  if (type === 'math' && sign === '\\') return text.endsWith(sign) ? text.slice(0, -1) : text
  const line = text.slice(lineStart).trim()
  const isSign = '`~$'.includes(sign) && line.startsWith(sign) && runLength(line, 0) === line.length
  return isSign && line.length < runLength(text, start) ? text.slice(0, lineStart) : text
}

/** Whether a line has nothing yet but what may be the marker of something. */
function isHalfMarker(line: string): boolean {
  if (line.trim() === '') return false
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index)
    const isTask = (character === 'x' || character === 'X') && line.charAt(index - 1) === '['
    const isNumber = isDigit(character) ? isHalfNumber(line, index) : '.)'.includes(character)
    if (!HALF_MARKERS.has(character) && !isTask && !isNumber) return false
  }
  return true
}

/** Whether the digits from there on may be the number of an item. */
function isHalfNumber(line: string, from: number): boolean {
  let end = from
  while (isDigit(line.charAt(end))) end++
  const sign = line.charAt(end)
  return end - from <= LIST_DIGITS_MAX && (sign === '' || sign === '.' || sign === ')')
}
