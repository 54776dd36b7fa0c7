import type { Nodes } from 'mdast'
import { runLength } from '../parse/characters.ts'
import { type ParsedText, parseText } from '../parse/parse-markdown.ts'
import { closeInline } from './close-inline.ts'
import { isHalfMarker } from './half-signs.ts'

/**
 * Closes for the moment the constructs that a growing text leaves open at its end, or holds them back:
 * emphasis, code, links, half a fence, the header of a table until the row after it makes it one.
 *
 * @param from Where it begins: the text before that stays.
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

function lastLeaf(node: Nodes): Nodes {
  if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell') return node
  const last = 'children' in node ? node.children.at(-1) : undefined
  return last ? lastLeaf(last) : node
}

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
