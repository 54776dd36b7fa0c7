import type { Html, List, Nodes, RootContent, Table } from 'mdast'
import { formatBlocks } from './entities.ts'
import { closeTail } from './interim.ts'
import { type ParsedText, parseMarkdown } from './parse.ts'
import { isWide } from './tables.ts'
import { type DetailsToken, readDetails, withoutHalfDetails } from './tags.ts'
import {
  type BlockContext,
  isResumed,
  toInlineContext,
  writeBlock,
  writeListItem,
  writeTable,
} from './write-blocks.ts'
import { writeInline, writeTextLines } from './write-inline.ts'

/** How reading continues in the middle of a text. */
export interface Carry {
  /** Markdown to read first: it opens again the blocks that are open there. */
  prelude: string
  /** The number of the first item of a list. */
  number?: number | undefined
}

export const NO_CARRY: Carry = { prelude: '' }

/** A block of a text, an item of its list, or a row of its table, as Telegram's Markdown. */
export interface Block {
  start: number
  type: RootContent['type']
  /** Whether no blank line separates it from the block before it. */
  isTight: boolean
  carry: Carry
  markdown: string
  /** The tag of details that the block is. Blocks between two tags of one block of HTML begin where it begins. */
  details?: 'open' | 'close'
  /** The number of blocks as Telegram counts them. */
  count: number
  signs: readonly RichSign[]
}

/** The blocks of a text after its prelude. */
export interface Reading extends ParsedText {
  opening: number
  blocks: readonly Block[]
}

const BLOCKS_MAX = 100
const DEPTH_MAX = 12
/** Telegram allows 16 levels of blocks; the other kinds get 12. */
const NESTED_DETAILS_MAX = 3
const NOTHING = '…'

/**
 * Reads a text into its blocks, which have no gap between them.
 *
 * @param isInterim Whether the text grows: closes or holds back the constructs that are open at its end.
 */
export function readBlocks(text: string, carry: Carry, { isInterim = false } = {}): Reading {
  const opening = carry.prelude.length
  const whole = `${carry.prelude}${text}`
  const parsed = isInterim ? closeTail(whole, opening) : { text: whole, root: parseMarkdown(whole) }
  const context: BlockContext = {
    source: parsed.text,
    resumesAt: opening,
    depth: 0,
    closesOpen: isInterim,
  }
  const nodes = parsed.root.children.map((node, index) => {
    const continues = index === 0 && node.type === 'list' && node.ordered
    return continues ? { ...node, start: carry.number ?? node.start ?? 1 } : node
  })
  const found = nodes.flatMap((node) => toBlocks(node, context))
  const blocks = found.map(({ offset, ...block }, index) => {
    const line = parsed.text.lastIndexOf('\n', offset - 1) + 1
    const start = Math.min(Math.max(line - opening, 0), text.length)
    return index === 0 && carry.prelude !== ''
      ? { ...block, carry, start: 0 }
      : { ...block, start: index === 0 ? 0 : start }
  })
  return { text: parsed.text, root: { ...parsed.root, children: nodes }, opening, blocks }
}

type FoundBlock = Omit<Block, 'start'> & { offset: number }

function toBlocks(node: RootContent, context: BlockContext): FoundBlock[] {
  if (node.type === 'list') return toItems(node, context)
  if (node.type === 'table' && !isWide(node)) return toRows(node, context)
  const details = node.type === 'html' ? toDetails(node, context) : undefined
  if (details) return details
  const written = writeBounded(node, () => writeBlock(node, context))
  return [{ ...frameOf(node), ...written, signs: collectSigns(node) }]
}

function frameOf(node: RootContent) {
  return { offset: offsetOf(node), type: node.type, isTight: false, carry: NO_CARRY }
}

/** Reads a block of HTML with tags of details; nothing without such tags, because they appear as they are. */
function toDetails(node: Html, context: BlockContext): FoundBlock[] | undefined {
  const { source, closesOpen } = context
  const grows = closesOpen && (node.position?.end.offset ?? 0) >= source.trimEnd().length
  const html = grows ? withoutHalfDetails(node.value) : node.value
  const tokens = readDetails(html)
  if (tokens.length === 0) return html === node.value ? undefined : []
  const frame = { ...frameOf(node), count: 1, signs: [] }
  return tokens.flatMap((token): FoundBlock[] => {
    if (token.type === 'close') return [{ ...frame, details: 'close', markdown: '' }]
    if (token.type === 'open') {
      const markdown = writeDetailsTag(token, context)
      return [{ ...frame, details: 'open', markdown, signs: ['details'] }]
    }
    const inside = { ...context, source: token.markdown, resumesAt: 0 }
    const blocks = parseMarkdown(token.markdown).children.flatMap((child) =>
      toBlocks(child, inside),
    )
    return blocks.map((block) => ({ ...block, offset: frame.offset, carry: NO_CARRY }))
  })
}

function writeDetailsTag(
  { summary, isOpen }: Extract<DetailsToken, { type: 'open' }>,
  context: BlockContext,
): string {
  const [only, ...others] = parseMarkdown(summary).children
  const line = { ...toInlineContext({ ...context, resumesAt: 0 }), isOneLine: true }
  const isLine = only?.type === 'paragraph' && others.length === 0
  const words = isLine ? writeInline(only.children, line).trim() : writeTextLines(summary)
  return `<details${isOpen ? ' open' : ''}><summary>${words || NOTHING}</summary>`
}

function toItems(list: List, context: BlockContext): FoundBlock[] {
  return list.children.map((item, index) => {
    const number = list.ordered ? (list.start ?? 1) + index : undefined
    const before = list.children[index - 1]
    const single: List = { ...list, children: [item], start: number ?? null }
    return {
      ...writeBounded(single, () => writeListItem(list, index, context)),
      offset: offsetOf(item),
      type: 'list',
      isTight: before !== undefined && !isResumed(before, context),
      carry: { prelude: '', number },
      signs: collectSigns(item),
    }
  })
}

function toRows(table: Table, context: BlockContext): FoundBlock[] {
  const { source } = context
  const from = source.lastIndexOf('\n', offsetOf(table) - 1) + 1
  const prelude = `${source.slice(from).split('\n', 2).join('\n')}\n`
  return writeTable(table, context).map((markdown, index) => ({
    offset: offsetOf(table.children[index] ?? table),
    type: 'table',
    isTight: index > 0,
    carry: index > 0 ? { prelude } : NO_CARRY,
    markdown,
    count: index > 0 ? 1 : 2,
    signs: collectSigns(table.children[index] ?? table),
  }))
}

function offsetOf({ position }: Nodes): number {
  return position?.start.offset ?? 0
}

/** Writes a block; as text if it has more blocks, or deeper blocks, than Telegram surely accepts. */
function writeBounded(node: RootContent, write: () => string): Pick<Block, 'markdown' | 'count'> {
  const { count, depth } = measure(node)
  if (count <= BLOCKS_MAX && depth <= DEPTH_MAX) return { markdown: write(), count }
  const markdown = writeTextLines(formatBlocks([node]).text)
  return { markdown, count: markdown.split('\n\n').length }
}

function measure(node: Nodes): { count: number; depth: number } {
  // HTML appears as text, with its own paragraphs.
  if (node.type === 'html') return { count: node.value.split('\n\n').length, depth: 1 }
  if (!('children' in node) || node.type === 'paragraph' || node.type === 'heading') {
    return { count: 1, depth: 1 }
  }
  const inside = node.type === 'tableRow' ? [] : node.children.map(measure)
  return {
    count: inside.reduce((sum, { count }) => sum + count, 1),
    depth: inside.reduce((most, { depth }) => Math.max(most, depth), 0) + 1,
  }
}

/** Joins the blocks of one message. Closes its open details, and omits ends of details that it did not open. */
export function joinBlocks(blocks: readonly Block[]): string {
  let joined = ''
  const opened: (number | undefined)[] = []
  for (const { markdown, isTight, details } of blocks) {
    if (details === 'close') close()
    else if (details === 'open' && opened.length >= NESTED_DETAILS_MAX) opened.push(undefined)
    else {
      add(markdown, isTight)
      if (details === 'open') opened.push(joined.length)
    }
  }
  while (opened.length > 0) close()
  return joined

  function close(): void {
    const from = opened.pop()
    if (from === undefined) return
    if (joined.length === from) add(NOTHING)
    add('</details>')
  }

  function add(markdown: string, isTight = false): void {
    if (markdown === '') return
    joined += joined === '' ? markdown : `${isTight ? '\n' : '\n\n'}${markdown}`
  }
}

/** Content that a text with entities cannot show as it is meant. */
export type RichNeed = 'table' | 'tasks' | 'formula' | 'details' | 'headings'

/** The sign of such content in a block. A heading is its level: headings of a single level appear as bold. */
type RichSign = Exclude<RichNeed, 'headings'> | number

function collectSigns(node: Nodes): RichSign[] {
  const signs = new Set<RichSign>()
  // Tags in other places appear as they are.
  const isDetails = node.type === 'html' && readDetails(node.value).some(isOpening)
  if (isDetails) signs.add('details')
  visit(node)
  return [...signs]

  function visit(inner: Nodes): void {
    // A wide table appears as code.
    if (inner.type === 'table' && isWide(inner)) return
    if (inner.type === 'tableRow') signs.add('table')
    else if (inner.type === 'listItem' && typeof inner.checked === 'boolean') signs.add('tasks')
    else if (inner.type === 'math' || inner.type === 'inlineMath') signs.add('formula')
    else if (inner.type === 'heading') signs.add(inner.depth)
    if ('children' in inner) for (const child of inner.children) visit(child)
  }
}

function isOpening({ type }: DetailsToken): boolean {
  return type === 'open'
}

/** Finds the content of a message's blocks that requires a rich message. */
export function needsOf(blocks: readonly Pick<Block, 'signs'>[]): RichNeed[] {
  const signs = new Set(blocks.flatMap((block) => block.signs))
  const needs = [...signs].filter((sign) => typeof sign !== 'number')
  return signs.size - needs.length > 1 ? [...needs, 'headings'] : needs
}

/** Finds the content of Telegram's Markdown that requires a rich message. */
export function findNeeds(markdown: string): RichNeed[] {
  const { children } = parseMarkdown(markdown, { isFromModel: false })
  return needsOf(children.map((node) => ({ signs: collectSigns(node) })))
}
