import type { RichBlockTable, RichBlockTableCell } from 'grammy/types'
import { words } from '../../words/language.ts'
import { RichText } from './rich-text.tsx'

/** A table, which is scrolled sideways where it is wider than its message. */
export function Table({ block }: { block: RichBlockTable }) {
  const looks = [
    'rich-table',
    block.is_bordered && 'rich-table-bordered',
    block.is_striped && 'rich-table-striped',
    block.is_compact && 'rich-table-compact',
  ]
  return (
    <section
      class="rich-table-window"
      aria-label={words.value.message.table}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than its box is scrolled, also by keyboard.
      tabIndex={0}
    >
      <table class={looks.filter(Boolean).join(' ')}>
        {block.caption === undefined ? null : (
          <caption class="hint small">
            <RichText text={block.caption} />
          </caption>
        )}
        <tbody>
          {block.cells.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.map((cell, index) => (
                <Cell key={index} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({ cell }: { cell: RichBlockTableCell }) {
  const Tag = cell.is_header ? 'th' : 'td'
  return (
    <Tag
      colSpan={cell.colspan}
      rowSpan={cell.rowspan}
      style={{ textAlign: cell.align, verticalAlign: cell.valign }}
    >
      <RichText text={cell.text} />
    </Tag>
  )
}
