import type { RichBlock, RichBlockListItem, RichBlockTableCell, RichText } from 'grammy/types'
import type { Definition, List, Nodes, Paragraph, RootContent, Table } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { math } from '../../platform/math-syntax.ts'
import { badRequest } from '../wire/envelope.ts'
import { type Params, textOf } from '../wire/params.ts'
import { type InlineContext, toRichText } from './inlines.ts'
import { checkRich } from './limits.ts'
import {
  hideEscapes,
  isBlockTag,
  restoreEscapes,
  splitHtml,
  type Tag,
  unpaired,
} from './rich-html.ts'
import { joinText, plainTextOf, trimText } from './rich-text.ts'
import type { EntityText } from './text.ts'

/** The content of a rich message: its source, and the blocks made of it. */
export interface RichContent {
  markdown: string
  blocks: RichBlock[]
  isRtl: boolean
}

/**
 * Reads the `rich_message` of a call, which holds Markdown. The text is the visible text without formatting.
 *
 * @throws {ApiError} For an invalid rich message.
 */
export function readRichMessage(params: Params): EntityText & { rich: RichContent } {
  const value = parseJson(textOf(params, 'rich_message'))
  if (!isJsonObject(value)) throw badRequest('rich message must be non-empty')
  const { markdown = '' } = value
  if (typeof markdown !== 'string') {
    throw badRequest(`can't parse InputRichMessage: Field "markdown" must be of type String`)
  }
  const blocks = parseRichMarkdown(markdown)
  return {
    rich: { markdown, blocks, isRtl: value.is_rtl === true },
    text: plainTextOf(blocks),
    entities: [],
  }
}

/**
 * Reads rich Markdown: GitHub's, with formulas, `==marks==`, `||spoilers||` and the HTML tags that the bot writes.
 *
 * Telegram's own parser is closed, so this is an approximation: strict where a message would be refused, lenient with
 * emphasis, fences and tables that are not finished.
 *
 * @throws {ApiError} `RICH_MESSAGE_…` for Markdown that is empty, broken or beyond a limit.
 */
export function parseRichMarkdown(markdown: string): RichBlock[] {
  if (!markdown.isWellFormed()) throw badRequest('Strings must be encoded in UTF-8')
  if (markdown.trim() === '') throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
  const source = hideEscapes(markdown)
  try {
    const nodes = parse(source)
    // The first definition of a name counts.
    const definitions = new Map(
      [...definitionsIn(nodes)].reverse().map((it) => [it.identifier, it]),
    )
    const blocks = toBlocks(nodes, { source, definitions })
    if (blocks.length === 0) throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
    checkRich(blocks)
    return blocks
  } catch (error) {
    // The stack ends long after the limit does.
    if (error instanceof RangeError) throw badRequest('RICH_MESSAGE_DEPTH_INVALID')
    throw error
  }
}

function parse(source: string, disabled: string[] = []): RootContent[] {
  const { children } = fromMarkdown(source, {
    extensions: [gfm(), math(), { disable: { null: disabled } }],
    mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown()],
  })
  return children
}

function* definitionsIn(nodes: readonly RootContent[]): Generator<Definition> {
  for (const node of nodes) {
    if (node.type === 'definition') yield node
    else if ('children' in node) yield* definitionsIn(node.children)
  }
}

/** A block tag begun and not yet ended; the outermost frame is the message, or the block around it. */
interface Frame {
  opener?: Tag
  blocks: RichBlock[]
  summary: RichText
}

function toBlocks(nodes: readonly RootContent[], context: InlineContext): RichBlock[] {
  const outermost: Frame = { blocks: [], summary: '' }
  const frames = [outermost]
  const top = () => frames.at(-1) ?? outermost
  for (const node of nodes) {
    if (node.type === 'html') addHtml(restoreEscapes(node.value))
    else top().blocks.push(...toBlock(node, context))
  }
  if (frames.length > 1) throw unpaired()
  return outermost.blocks

  function addHtml(html: string): void {
    let text = ''
    for (const piece of splitHtml(html)) {
      if (typeof piece === 'string') text += piece
      else if (!isBlockTag(piece)) text += piece.source
      else {
        addText(text)
        text = ''
        addTag(piece)
      }
    }
    addText(text)
  }

  function addText(markdown: string): void {
    const source = hideEscapes(markdown)
    top().blocks.push(...toBlocks(parse(source, ['htmlFlow']), { ...context, source }))
  }

  function addTag(found: Tag): void {
    const { name, isEnd, isClosed } = found
    if (!isEnd && !isClosed) frames.push({ opener: found, blocks: [], summary: '' })
    else if (isEnd && top().opener?.name === name) close(frames.pop() ?? outermost, found.name)
    else throw unpaired()
  }

  function close({ opener, blocks, summary }: Frame, name: string): void {
    if (name === 'summary') top().summary = textIn(blocks)
    else {
      const isOpen = opener?.isOpenDetails && ({ is_open: true } as const)
      top().blocks.push({ type: 'details', summary, blocks, ...isOpen })
    }
  }
}

/** Texts in a tag were parsed as paragraphs; here they are text again, one line each. */
function textIn(blocks: readonly RichBlock[]): RichText {
  const texts = blocks.flatMap((block) => ('text' in block ? [block.text] : []))
  return trimText(joinText(texts.flatMap((text, index) => (index > 0 ? ['\n', text] : [text]))))
}

function toBlock(node: RootContent, context: InlineContext): RichBlock[] {
  switch (node.type) {
    case 'paragraph':
      return toParagraph(node, context)
    case 'heading':
      return [{ type: 'heading', size: node.depth, text: toRichText(node.children, context) }]
    case 'thematicBreak':
      return [{ type: 'divider' }]
    case 'blockquote':
      return [{ type: 'blockquote', blocks: toBlocks(node.children, context) }]
    case 'code': {
      const source = restoreEscapes(node.value)
      if (node.lang === 'math') return [{ type: 'mathematical_expression', expression: source }]
      const language = node.lang ? { language: restoreEscapes(node.lang) } : {}
      // Tabs were seen to arrive as single spaces.
      return [{ type: 'pre', text: source.replace(/\t/g, ' '), ...language }]
    }
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

function toParagraph({ children }: Paragraph, context: InlineContext): RichBlock[] {
  const [first, ...rest] = children
  if (first?.type === 'inlineMath' && rest.length === 0 && isDisplayed(first, context)) {
    return [{ type: 'mathematical_expression', expression: restoreEscapes(first.value) }]
  }
  const text = trimText(toRichText(children, context))
  return text === '' ? [] : [{ type: 'paragraph', text }]
}

/** A formula on one line between double dollars. */
function isDisplayed({ position }: Nodes, { source }: InlineContext): boolean {
  return source.startsWith('$$', position?.start.offset ?? -1)
}

function toList({ ordered, start, children }: List, context: InlineContext): RichBlock {
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

function toTable({ align, children }: Table, context: InlineContext): RichBlock {
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
