import type { Table } from 'mdast'

/** Telegram's limit. */
const COLUMNS_MAX = 20
const COLUMN_WIDTH_MAX = 24
/** Characters two columns wide in code, and characters without width. */
const WIDE =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u{ff01}-\u{ff60}]/u
const WITHOUT_WIDTH = /[\p{M}\p{Cf}]/u

export function isWide({ children }: Table): boolean {
  return (children[0]?.children.length ?? 0) > COLUMNS_MAX
}

/** Lays out the texts of a table's cells as code with aligned columns. */
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
