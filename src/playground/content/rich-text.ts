import type { RichBlock, RichBlockListItem, RichText } from 'grammy/types'

type Run = Exclude<RichText, string | RichText[]>

/** Joins runs as answers show them: plain neighbours merged, no list of one. */
export function joinText(parts: readonly RichText[]): RichText {
  const joined: RichText[] = []
  for (const part of parts.flatMap((text) => (Array.isArray(text) ? text : [text]))) {
    const last = joined.at(-1)
    if (part === '') continue
    if (typeof part === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + part
    else joined.push(part)
  }
  const [only = ''] = joined
  return joined.length <= 1 ? only : joined
}

function visibleText(text: RichText): string {
  if (typeof text === 'string') return text
  if (Array.isArray(text)) return text.map(visibleText).join('')
  return visibleText(insideOf(text))
}

export function insideOf(run: Run): RichText {
  if (run.type === 'mathematical_expression') return run.expression
  return 'text' in run ? run.text : ''
}

export function trimText(text: RichText): RichText {
  const parts = Array.isArray(text) ? [...text] : [text]
  const first = parts[0]
  if (typeof first === 'string') parts[0] = first.trimStart()
  const last = parts.at(-1)
  if (typeof last === 'string') parts[parts.length - 1] = last.trimEnd()
  return joinText(parts)
}

/** The visible text of a rich message: one line or more for each block. */
export function plainTextOf(blocks: readonly RichBlock[]): string {
  return blocks.map(toLines).join('\n')
}

function toLines(block: RichBlock): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
    case 'pre':
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
