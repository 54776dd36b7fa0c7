import type { RichBlock, RichBlockCaption, RichBlockListItem } from 'grammy/types'
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
    case 'photo':
    case 'video':
    case 'animation':
    case 'audio':
    case 'voice_note':
    case 'document':
    case 'map':
      return withCaption(`[${block.type.replace('_', ' ')}]`, block.caption)
    case 'collage':
    case 'slideshow':
      return withCaption(plainTextOf(block.blocks), block.caption)
    case 'buttons':
      return block.buttons.map(({ text }) => `[${visibleText(text)}]`).join(' ')
    case 'anchor':
      return ''
  }
}

function withCaption(shown: string, caption: RichBlockCaption | undefined): string {
  return caption === undefined ? shown : `${shown}\n${visibleText(caption.text)}`
}

/** Lines after the first stand under the text, not under the label. */
function toItem({ label, blocks, has_checkbox, is_checked }: RichBlockListItem): string {
  const shown = has_checkbox ? (is_checked ? '☑' : '☐') : label
  const [first = '', ...rest] = plainTextOf(blocks).split('\n')
  return [`${shown} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n')
}
