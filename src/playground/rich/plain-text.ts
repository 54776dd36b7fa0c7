import type { RichBlock, RichBlockListItem } from 'grammy/types'
import { visibleText } from './rich-text.ts'

/** A rich message as its reader sees it, without the looks: one line or more for each block. */
export function plainTextOf(blocks: readonly RichBlock[]): string {
  return blocks.map(toLines).join('\n')
}

function toLines(block: RichBlock): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
    case 'pre':
    case 'footer':
    case 'expandable_blockquote':
    case 'pullquote':
    case 'thinking':
      return visibleText(block.text)
    case 'divider':
      return '———'
    case 'mathematical_expression':
      return block.expression
    case 'list':
      return block.items.map(toItem).join('\n')
    case 'blockquote':
      return plainTextOf(block.blocks)
    case 'details':
      return [visibleText(block.summary), plainTextOf(block.blocks)].join('\n')
    case 'table':
      return block.cells
        .map((row) => row.map(({ text = '' }) => visibleText(text)).join(' | '))
        .join('\n')
    default:
      return ''
  }
}

/** Lines after the first stand under the text, not under the label. */
function toItem({ label, blocks, has_checkbox, is_checked }: RichBlockListItem): string {
  const shown = has_checkbox ? (is_checked ? '☑' : '☐') : label
  const [first = '', ...rest] = plainTextOf(blocks).split('\n')
  return [`${shown} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n')
}
