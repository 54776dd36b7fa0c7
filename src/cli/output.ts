/**
 * Output of the commands: one description of a row gives the table for people, JSON and CSV.
 *
 * A field with a `head` is a column of the table; a field with a `name` is in JSON and CSV. A bigint is an amount in
 * micro-roubles, written as decimal roubles.
 */
import { type CsvCell, formatRub, PLAIN_CSV, toWireRub, writeCsvLine } from '../contract/money.ts'

type Value = string | number | bigint | boolean | Date | readonly unknown[] | null | undefined

export interface Field<Row> {
  name?: string
  head?: string
  read: (row: Row) => Value
}

interface TableOptions {
  /** The zone of instants, which are written to the second. */
  timeZone?: string
  /** Begins a last line with the sum of each column of numbers, if there are several rows. */
  total?: string
}

/** Writes a table without empty columns, numbers aligned by the decimal point. Its last line has no end. */
export function writeTable<Row>(
  fields: readonly Field<Row>[],
  rows: readonly Row[],
  { timeZone = 'UTC', total }: TableOptions = {},
): string {
  const hasTotal = total !== undefined && rows.length > 1
  const isFilled = ({ read }: Field<Row>) => rows.some((row) => (read(row) ?? '') !== '')
  const shown = fields.filter(
    (field) => field.head !== undefined && (rows.length === 0 || isFilled(field)),
  )
  const columns = shown.map(({ head = '', read }, index) => {
    const values = rows.map(read)
    if (hasTotal) values.push(index === 0 ? total : addUp(values))
    const cells = values.map((value) => toText(value, timeZone))
    return alignCells([head, ...cells], values.some(isAmount))
  })
  const lines = ['', ...rows, ...(hasTotal ? [''] : [])].map((_, line) =>
    columns.map((cells) => cells[line]),
  )
  return lines.map((cells) => cells.join('  ').trimEnd()).join('\n')
}

/** Writes one line of JSON. A bigint is a string: it may be above 2^53. */
export function writeJson(value: object): string {
  return JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `${field}` : field))
}

/** Returns the named fields of rows for {@link writeJson}: amounts as numbers, instants in ISO 8601. */
export function toJson<Row>(
  fields: readonly Field<Row>[],
  rows: readonly Row[],
): Record<string, unknown>[] {
  const named = fields.filter(({ name }) => name !== undefined)
  return rows.map((row) =>
    Object.fromEntries(named.map(({ name, read }) => [name, toJsonValue(read(row))])),
  )
}

/** Writes rows for spreadsheets, the last line without its line feed. */
export function writeCsv<Row>(fields: readonly Field<Row>[], rows: readonly Row[]): string {
  const named = fields.filter(({ name }) => name !== undefined)
  const head = named.map(({ name = '' }) => name)
  const lines = rows.map((row) => named.map(({ read }) => toCsvCell(read(row))))
  return [head, ...lines]
    .map((cells) => writeCsvLine(cells, PLAIN_CSV))
    .join('')
    .slice(0, -1)
}

function isAmount(value: Value): boolean {
  return typeof value === 'number' || typeof value === 'bigint'
}

function addUp(values: readonly Value[]): Value {
  const amounts = values.filter((value) => typeof value === 'bigint')
  if (amounts.length > 0) return amounts.reduce((sum, amount) => sum + amount)
  const counts = values.filter((value) => typeof value === 'number')
  return counts.length > 0 ? counts.reduce((sum, count) => sum + count) : null
}

function toText(value: Value, timeZone: string): string {
  if (typeof value === 'bigint') return formatRub(value)
  if (!(value instanceof Date)) return String(value ?? '')
  // Swedish dates have the form 2026-11-22 16:55:57.
  const format = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const
  return new Intl.DateTimeFormat('sv-SE', format).format(value)
}

function toJsonValue(value: Value): unknown {
  return typeof value === 'bigint' ? toWireRub(value) : (value ?? null)
}

function toCsvCell(value: Value): CsvCell {
  if (typeof value === 'bigint') return { microRub: value }
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? String(value ?? '') : (value ?? null)
}

function alignCells([head = '', ...cells]: readonly string[], isRight: boolean): string[] {
  const decimals = (cell: string) => (cell.includes('.') ? cell.length - cell.indexOf('.') : 0)
  const most = Math.max(...cells.map(decimals))
  const fill = (cell: string) => cell.padEnd(cell.length + most - decimals(cell))
  const filled = isRight ? cells.map(fill) : cells
  const width = Math.max(...[head, ...filled].map(({ length }) => length))
  return [head, ...filled].map((cell) => (isRight ? cell.padStart(width) : cell.padEnd(width)))
}
