import type { List, Nodes } from 'mdast'
import { isDigit } from '../parse/characters.ts'
import { openAgain } from '../parse/inner-fences.ts'
import { parseMarkdown } from '../parse/parse-markdown.ts'
import type { Piece, Resume } from './read-pieces.ts'

/** A point where a text may go on in the next message. */
export interface Cut {
  offset: number
  resume: Resume
  level: number
}

const MARKER_SHIFT_MAX = 3

interface Path {
  line: string
  numbers: readonly number[]
  level: number
}

/**
 * Finds the offsets inside a piece at which it can be cut: between the blocks in a quote or in an item of a
 * list, between nested items, between lines of code.
 *
 * @param end How far the piece is looked at.
 */
export function findNestedCuts(source: string, { start, resume }: Piece, end: number): Cut[] {
  const text = `${resume.prelude}${source.slice(start, end)}`
  const shift = start - resume.prelude.length
  const cuts: Cut[] = []
  const { children } = parseMarkdown(text)
  for (const node of children) visit(node, { line: '', numbers: [], level: 0 }, resume.numbers)
  return cuts.filter(({ offset }) => offset > start && offset < end)

  function visit(node: Nodes, path: Path, numbers: readonly number[]): void {
    if (node.type === 'blockquote') {
      const line = `${pad(path.line, columnOf(node))}>`
      visitChildren(node.children, { ...path, line, level: path.level + 1 }, numbers)
    } else if (node.type === 'list') visitList(node, path, numbers)
    else if (node.type === 'code' || node.type === 'math') visitLines(node, path)
  }

  function visitChildren(nodes: readonly Nodes[], path: Path, numbers: readonly number[]): void {
    for (const [index, node] of nodes.entries()) {
      if (index > 0) add(lineStartOf(node), path)
      const own = index === 0 ? numbers : []
      visit(node, path, own)
    }
  }

  function visitList(list: List, path: Path, numbers: readonly number[]): void {
    const first = list.ordered ? (numbers[0] ?? list.start ?? 1) : undefined
    for (const [index, item] of list.children.entries()) {
      const number = first === undefined ? [] : [first + index]
      const level = path.level + 1
      const own = { ...path, numbers: [...path.numbers, ...number], level }
      if (index > 0) add(lineStartOf(item), { ...own, line: path.line })
      const line = openItem(item, path.line)
      if (line === undefined) continue
      const inner = { ...own, line }
      const rest = index === 0 ? numbers.slice(number.length) : []
      visitChildren(item.children, inner, rest)
    }
  }

  /**
   * Between the first and the last line of a code block or a formula. Telegram cuts off blanks at the end of a
   * message: a cut after them is worse.
   */
  function visitLines(node: Nodes, path: Path): void {
    const from = node.position?.start.offset ?? 0
    const to = node.position?.end.offset ?? 0
    const sign = text.charAt(from)
    const isFenced = node.type === 'math' || sign === '`' || sign === '~'
    if (!isFenced) return
    const opened = text.indexOf('\n', from)
    if (opened === -1) return
    const margin = pad(path.line, columnOf(node))
    for (
      let at = text.indexOf('\n', opened + 1);
      at !== -1 && at < to;
      at = text.indexOf('\n', at + 1)
    ) {
      const isAfterBlank = text.charAt(at - 1).trim() === ''
      const level = path.level + (isAfterBlank ? 2 : 1)
      const prelude = `${margin}${openAgain(text.slice(from, opened), text, at + 1)}\n`
      cuts.push({ offset: at + 1 + shift, resume: { prelude, numbers: path.numbers }, level })
    }
  }

  function openItem(item: Nodes, line: string): string | undefined {
    const start = item.position?.start
    const first = 'children' in item ? item.children[0]?.position?.start : undefined
    if (start === undefined || first === undefined || first.line !== start.line) return undefined
    const lineText = text.slice(text.lastIndexOf('\n', start.offset ?? 0) + 1, first.offset)
    if (lineText.includes('\t')) return undefined
    const marker = readMarker(start.offset ?? 0)
    const column = first.column - 1 - marker.length
    return column - start.column > MARKER_SHIFT_MAX ? undefined : `${pad(line, column)}${marker}`
  }

  function readMarker(from: number): string {
    let at = from
    while (isDigit(text.charAt(at))) at++
    return text.slice(from, at + 1)
  }

  function add(at: number, { line, numbers, level }: Path): void {
    const prelude = line === '' ? '' : `${line}\n`
    cuts.push({ offset: at + shift, resume: { prelude, numbers }, level })
  }

  function lineStartOf({ position }: Nodes): number {
    return text.lastIndexOf('\n', (position?.start.offset ?? 0) - 1) + 1
  }
}

function columnOf({ position }: Nodes): number {
  return position?.start.column ?? 1
}

function pad(line: string, column: number): string {
  return line.padEnd(column - 1)
}
