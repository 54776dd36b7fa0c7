import type { PhrasingContent, Table, TableCell, TableRow } from 'mdast'
import { toPlainInline } from '../parse/inline-tags.ts'
import { writeFenced } from './fence.ts'
import { type InlineContext, writeInline } from './write-inline.ts'

/** Telegram takes no more. */
const COLUMNS_MAX = 20

const DELIMITERS = { left: ':--', right: '--:', center: ':-:' } as const

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
  const written: string[] = []
  for (let column = 0; column < columns; column++) {
    const isLast = column === columns - 1
    written.push(
      writeCell(isLast ? joinCells(cells.slice(column)) : cells[column]?.children, context),
    )
  }
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

/** Writes a table that is too wide as code, much as it was written. */
export function writeWideTable({ children }: Table): string {
  const rows = children.map((row) =>
    row.children.map((cell) => toPlainInline(cell.children)).join(' | '),
  )
  return writeFenced(rows.join('\n'))
}
