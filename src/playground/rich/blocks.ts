import type { RichBlock, RichBlockListItem, RichBlockTableCell } from 'grammy/types'
import type { Code, List, Nodes, Paragraph, RootContent, Table } from 'mdast'
import { createBlockFrames } from './block-frames.ts'
import type { RichContext } from './context.ts'
import { restoreEscapes } from './escapes.ts'
import { isBlockTag, splitHtml } from './html-tags.ts'
import { toRichText } from './inlines.ts'
import { joinText } from './rich-text.ts'
import { toTextBlocks } from './text-blocks.ts'

/** Turns parsed Markdown into the blocks of a rich message. */
export function toBlocks(nodes: readonly RootContent[], context: RichContext): RichBlock[] {
  const frames = createBlockFrames(context)
  for (const node of nodes) {
    if (node.type === 'html') addHtml(restoreEscapes(node.value))
    else toBlock(node, context).forEach(frames.add)
  }
  return frames.end()

  /** Tags inside a line stay with their text, which is Markdown again. */
  function addHtml(html: string): void {
    let text = ''
    for (const piece of splitHtml(html)) {
      if (typeof piece === 'string') text += piece
      else if (!isBlockTag(piece)) text += piece.source
      else {
        addText(text)
        text = ''
        frames.tag(piece)
      }
    }
    addText(text)
  }

  function addText(markdown: string): void {
    const { nodes, source } = context.parsePiece(markdown)
    toBlocks(nodes, { ...context, source }).forEach(frames.add)
  }
}

/** None for what shows nothing, such as the definition of a link. */
function toBlock(node: RootContent, context: RichContext): RichBlock[] {
  switch (node.type) {
    case 'paragraph':
      return toParagraph(node, context)
    case 'heading':
      return [{ type: 'heading', size: node.depth, text: toRichText(node.children, context) }]
    case 'thematicBreak':
      return [{ type: 'divider' }]
    case 'blockquote':
      return [{ type: 'blockquote', blocks: toBlocks(node.children, context) }]
    case 'code':
      return [toCode(node)]
    case 'math':
      return [{ type: 'mathematical_expression', expression: restoreEscapes(node.value) }]
    case 'list':
      return [toList(node, context)]
    case 'table':
      return [toTable(node, context)]
    case 'footnoteDefinition': {
      const name = node.label ?? node.identifier
      const inside = toBlocks(node.children, context)
      const text = joinText(inside.flatMap((it) => (it.type === 'paragraph' ? [it.text] : [])))
      return [{ type: 'paragraph', text: { type: 'reference', name, text } }]
    }
    default:
      return []
  }
}

function toParagraph({ children }: Paragraph, context: RichContext): RichBlock[] {
  const [first, ...rest] = children
  const last = rest.at(-1)
  if (first?.type === 'html' && last?.type === 'html' && /^<tg-thinking>$/i.test(first.value)) {
    if (/^<\/tg-thinking>$/i.test(last.value)) {
      return [{ type: 'thinking', text: toRichText(rest.slice(0, -1), context) }]
    }
  }
  if (first?.type === 'inlineMath' && rest.length === 0 && isDisplayed(first, context)) {
    return [{ type: 'mathematical_expression', expression: restoreEscapes(first.value) }]
  }
  return toTextBlocks(toRichText(children, context))
}

/** A formula on one line between double dollars. */
function isDisplayed({ position }: Nodes, { source }: RichContext): boolean {
  return source.startsWith('$$', position?.start.offset ?? -1)
}

/** Tabs were seen to arrive as single spaces. */
function toCode({ value, lang }: Code): RichBlock {
  const source = restoreEscapes(value)
  if (lang === 'math') return { type: 'mathematical_expression', expression: source }
  const text = source.replace(/\t/g, ' ')
  return { type: 'pre', text, ...(lang && { language: restoreEscapes(lang) }) }
}

function toList({ ordered, start, children }: List, context: RichContext): RichBlock {
  const items = children.map((item, index): RichBlockListItem => {
    const value = (start ?? 1) + index
    const blocks = toBlocks(item.children, context)
    if (ordered) return { label: `${value}.`, blocks, value, type: '1' }
    return {
      label: '•',
      blocks,
      ...(typeof item.checked === 'boolean' && { has_checkbox: true }),
      ...(item.checked && { is_checked: true }),
    }
  })
  return { type: 'list', items }
}

function toTable({ align, children }: Table, context: RichContext): RichBlock {
  const cells = children.map((row, rowIndex) =>
    row.children.map((cell, column): RichBlockTableCell => {
      const text = toRichText(cell.children, { ...context, isInTable: true })
      return {
        ...(text !== '' && { text }),
        ...(rowIndex === 0 && { is_header: true }),
        align: align?.[column] ?? 'left',
        valign: 'middle',
      }
    }),
  )
  return { type: 'table', cells }
}
