import type { RichBlock, RichText } from 'grammy/types'

/** No line of a preview is longer. */
const ENOUGH = 300

/** The words at the beginning of a rich message, as one line. */
export function wordsOfBlocks(blocks: readonly RichBlock[]): string {
  const parts: string[] = []
  let length = 0
  for (const block of blocks) {
    const part = wordsOfBlock(block)
    if (part === '') continue
    parts.push(part)
    length += part.length
    if (length >= ENOUGH) break
  }
  return parts.join(' ').slice(0, ENOUGH)
}

/** A formatted text without its looks. */
function wordsOfText(text: RichText): string {
  if (typeof text === 'string') return text
  if (Array.isArray(text)) return text.map(wordsOfText).join('')
  switch (text.type) {
    case 'custom_emoji':
      return text.alternative_text
    case 'mathematical_expression':
      return text.expression
    case 'anchor':
      return ''
    case 'button':
      return wordsOfText(text.button.text)
    default:
      return wordsOfText(text.text)
  }
}

function wordsOfBlock(block: RichBlock): string {
  switch (block.type) {
    case 'mathematical_expression':
      return block.expression
    case 'list':
      return block.items.map(({ blocks }) => wordsOfBlocks(blocks)).join(' ')
    case 'blockquote':
      return wordsOfBlocks(block.blocks)
    case 'details':
      return wordsOfText(block.summary)
    case 'table':
      return block.cells
        .flat()
        .map(({ text }) => wordsOfText(text ?? ''))
        .join(' ')
    default:
      return 'text' in block ? wordsOfText(block.text) : ''
  }
}
