import { formatRub } from './money.ts'

/** How a spreadsheet of a reader's language separates cells, and the parts of a number. */
export interface CsvDialect {
  separator: ',' | ';'
  decimalPoint: '.' | ','
}

/** The dialect of spreadsheets in English and of other programs. */
export const PLAIN_CSV: CsvDialect = { separator: ',', decimalPoint: '.' }

/** A number, which a spreadsheet may calculate with, or a text, which it may not. */
export type CsvCell = number | bigint | boolean | string | { microRub: bigint } | null

/** Writes one line of a file for spreadsheets, with its end. Money is in roubles, null an empty cell. */
export function writeCsvLine(cells: readonly CsvCell[], dialect: CsvDialect): string {
  return `${cells.map((cell) => toCell(cell, dialect)).join(dialect.separator)}\r\n`
}

function toCell(cell: CsvCell, { decimalPoint }: CsvDialect): string {
  if (cell === null) return ''
  if (typeof cell === 'object') return formatRub(cell.microRub).replace('.', decimalPoint)
  return typeof cell === 'string' ? toTextCell(cell) : String(cell)
}

/** A text that a spreadsheet would take for a formula begins with an apostrophe; quotes keep the rest together. */
function toTextCell(text: string): string {
  const harmless = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
