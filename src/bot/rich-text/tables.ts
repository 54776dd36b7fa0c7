import type { PhrasingContent, Table, TableCell, TableRow } from 'mdast'
import { type InlineContext, writeInline } from './write-inline.ts'

/** Telegram takes no more. */
const COLUMNS_MAX = 20
const COLUMN_WIDTH_MAX = 24
const DELIMITERS = { left: ':--', right: '--:', center: ':-:' } as const
/** Characters that code shows two columns wide, and those that take none. */
const WIDE =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u{ff01}-\u{ff60}]/u
const WITHOUT_WIDTH = /[\p{M}\p{Cf}]/u

/** Checks whether a table has more columns than Telegram takes. */
export function isWide({ children }: Table): boolean {
  return (children[0]?.children.length ?? 0) > COLUMNS_MAX
}

/** Writes the header of a table with the row that makes it one. */
export function writeTableHead({ children, align }: Table, context: InlineContext): string {
  const cells = children[0]?.children ?? []
  const delimiters = cells.map((_, column) => {
    const side = align?.[column]
    return side ? DELIMITERS[side] : '---'
  })
  return `${writeRow(cells, cells.length, context)}\n| ${delimiters.join(' | ')} |`
}

/**
 * Writes a row of a table with as many cells as its header has: missing cells are empty, the content
 * of further ones goes into the last.
 */
export function writeTableRow(row: TableRow, table: Table, context: InlineContext): string {
  return writeRow(row.children, table.children[0]?.children.length ?? 1, context)
}

function writeRow(cells: readonly TableCell[], columns: number, context: InlineContext): string {
  const written = Array.from({ length: columns }, (_, column) => {
    const isLast = column === columns - 1
    return writeCell(isLast ? joinCells(cells.slice(column)) : cells[column]?.children, context)
  })
  return `| ${written.join(' | ')} |`
}

function writeCell(nodes: readonly PhrasingContent[] = [], context: InlineContext): string {
  const inside = { before: '', after: '', isCell: true, isOneLine: true, isLinkText: false }
  return writeInline(nodes, { ...context, ...inside, depth: context.depth + 2 }).trim()
}

function joinCells(cells: readonly TableCell[]): PhrasingContent[] {
  return cells.flatMap(({ children }, index) =>
    index === 0 ? children : [{ type: 'text', value: ' | ' }, ...children],
  )
}

/**
 * Lays out a table as code in which its columns stand one below the other.
 *
 * @param rows The texts of the cells.
 */
export function toColumns(rows: readonly string[][], align: Table['align']): string {
  const wrapped = rows.map((row) => row.map(wrap))
  const widths: number[] = []
  for (const row of wrapped) {
    for (const [column, lines] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, ...lines.map(widthOf))
    }
  }
  const [head = [], ...body] = wrapped.map(toLines)
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  return [...head, ...(body.length > 0 ? [rule] : []), ...body.flat()].join('\n')

  function toLines(row: readonly string[][]): string[] {
    const height = Math.max(1, ...row.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) => {
      const cells = row.map((cell, column) => {
        const text = cell[line] ?? ''
        const blanks = (widths[column] ?? 0) - widthOf(text)
        const side = align?.[column]
        const before = side === 'right' ? blanks : side === 'center' ? Math.floor(blanks / 2) : 0
        return `${' '.repeat(before)}${text}${' '.repeat(blanks - before)}`
      })
      return cells.join(' | ').trimEnd()
    })
  }
}

function wrap(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/[ \n]/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= COLUMN_WIDTH_MAX) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (widthOf(line + character) > COLUMN_WIDTH_MAX) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}

function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (!WITHOUT_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1
  }
  return width
}
