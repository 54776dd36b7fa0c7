import type { PhrasingContent, Table, TableCell, TableRow } from 'mdast'
import { toPlainInline } from '../parse/inline-tags.ts'
import { writeFenced } from './fence.ts'
import { type InlinePlace, writeInline } from './write-inline.ts'

/** Telegram takes no wider table. */
const COLUMNS_MAX = 20

const DELIMITERS = { left: ':--', right: '--:', center: ':-:' } as const

export function isWide({ children }: Table): boolean {
  return (children[0]?.children.length ?? 0) > COLUMNS_MAX
}

/** Writes the header of a table with the row that makes it one. */
export function writeTableHead({ children, align }: Table, place: InlinePlace): string {
  const cells = children[0]?.children ?? []
  const delimiters = cells.map((_, column) => {
    const side = align?.[column]
    return side ? DELIMITERS[side] : '---'
  })
  return `${writeRow(cells, cells.length, place)}\n| ${delimiters.join(' | ')} |`
}

/**
 * Writes a row of a table with as many cells as its header has: missing ones are empty, what is too
 * much goes into the last one.
 */
export function writeTableRow(row: TableRow, table: Table, place: InlinePlace): string {
  return writeRow(row.children, table.children[0]?.children.length ?? 1, place)
}

function writeRow(cells: readonly TableCell[], columns: number, place: InlinePlace): string {
  const written: string[] = []
  for (let column = 0; column < columns; column++) {
    const isLast = column === columns - 1
    written.push(
      writeCell(isLast ? joinCells(cells.slice(column)) : cells[column]?.children, place),
    )
  }
  return `| ${written.join(' | ')} |`
}

function writeCell(nodes: readonly PhrasingContent[] = [], place: InlinePlace): string {
  const inside = { before: '', after: '', isCell: true, isOneLine: true, isLinkText: false }
  return writeInline(nodes, { ...place, ...inside, depth: place.depth + 2 }).trim()
}

function joinCells(cells: readonly TableCell[]): PhrasingContent[] {
  return cells.flatMap(({ children }, index) =>
    index === 0 ? children : [{ type: 'text', value: ' | ' }, ...children],
  )
}

/** A table that is too wide is shown as it was written, more or less. */
export function writeWideTable({ children }: Table): string {
  const rows = children.map((row) =>
    row.children.map((cell) => toPlainInline(cell.children)).join(' | '),
  )
  return writeFenced(rows.join('\n'))
}
