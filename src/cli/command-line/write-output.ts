/** A column of a table for people. */
export interface Column {
  head: string
  isNumber?: boolean
}

/**
 * Writes rows below a head, each column as wide as its widest cell.
 *
 * @returns Lines; the last one without its end.
 */
export function writeTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const written = columns.map(({ head, isNumber = false }, index) => {
    const cells = rows.map((row) => row[index] ?? '')
    return isNumber ? alignRight([head, ...fillDecimals(cells)]) : alignLeft([head, ...cells])
  })
  const lines = Array.from({ length: rows.length + 1 }, (_, line) =>
    written.map((cells) => cells[line] ?? ''),
  )
  return lines.map((cells) => cells.join('  ').trimEnd()).join('\n')
}

function alignLeft(cells: readonly string[]): string[] {
  const width = widest(cells)
  return cells.map((cell) => cell.padEnd(width))
}

function alignRight(cells: readonly string[]): string[] {
  const width = widest(cells)
  return cells.map((cell) => cell.padStart(width))
}

function fillDecimals(cells: readonly string[]): string[] {
  const decimals = cells.map((cell) => (cell.includes('.') ? cell.length - cell.indexOf('.') : 0))
  const most = decimals.reduce((left, right) => Math.max(left, right), 0)
  return cells.map((cell, index) => cell.padEnd(cell.length + most - (decimals[index] ?? 0)))
}

function widest(cells: readonly string[]): number {
  return cells.reduce((width, { length }) => Math.max(width, length), 0)
}

/** Writes one line for programs. A bigint is a string: it may be above 2^53. */
export function writeJson(value: object): string {
  return JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `${field}` : field))
}

/** Writes an instant for people, to the second: `2026-11-22 16:55:57`. */
export function writeTime(at: Date, timeZone: string): string {
  // Of all languages Swedish writes a date so.
  const format = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const
  return new Intl.DateTimeFormat('sv-SE', format).format(at)
}
