import type { Table } from 'mdast'
import type { Definitions } from '../parse/definitions.ts'
import { formatInline } from './format-inline.ts'
import { type FormattedText, format, plain } from './formatted-text.ts'

const COLUMN_WIDTH_MAX = 24
/** Characters that code shows two columns wide, and those that take none. */
const WIDE =
  /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u{ff01}-\u{ff60}]/u
const WITHOUT_WIDTH = /[\p{M}\p{Cf}]/u

type Side = 'left' | 'right' | 'center' | null | undefined

/** Formats a table as code in which its columns stand one below the other. */
export function formatTable({ children, align }: Table, definitions: Definitions): FormattedText {
  const rows = children.map((row) =>
    row.children.map((cell) => {
      const { text } = formatInline(cell.children, definitions)
      return wrap(text.replaceAll('\n', ' '))
    }),
  )
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, lines] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, ...lines.map(widthOf))
    }
  }
  const [head = [], ...body] = rows.flatMap((row) => [toLines(row)])
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  const lines = [...head, ...(body.length > 0 ? [rule] : []), ...body.flat()]
  return format(plain(lines.join('\n')), { type: 'pre' })

  function toLines(row: readonly (readonly string[])[]): string[] {
    const height = Math.max(1, ...row.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) =>
      row
        .map((cell, column) => pad(cell[line] ?? '', widths[column] ?? 0, align?.[column]))
        .join(' | ')
        .trimEnd(),
    )
  }
}

function wrap(text: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
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

function pad(text: string, width: number, side: Side): string {
  const blanks = Math.max(width - widthOf(text), 0)
  const before = side === 'right' ? blanks : side === 'center' ? Math.floor(blanks / 2) : 0
  return `${' '.repeat(before)}${text}${' '.repeat(blanks - before)}`
}

function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (WITHOUT_WIDTH.test(character)) continue
    width += WIDE.test(character) ? 2 : 1
  }
  return width
}
