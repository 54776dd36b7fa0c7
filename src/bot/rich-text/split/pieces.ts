import type { List, RootContent, Table } from 'mdast'
import { formatBlocks } from '../entities/format-blocks.ts'
import { closeTail } from '../interim/close-tail.ts'
import {
  collectDefinitions,
  type DefinitionSet,
  mergeDefinitions,
  toDefinitions,
} from '../parse/definitions.ts'
import { maskCostly } from '../parse/mask-costly.ts'
import { type ParsedText, parseText } from '../parse/parse-markdown.ts'
import {
  type BlockContext,
  inlinePlace,
  isResumedHere,
  writeBlock,
  writeBlocks,
  writeListItem,
} from '../write/write-blocks.ts'
import { isWide, writeTableHead, writeTableRow } from '../write/write-table.ts'
import { writeTextLines } from '../write/write-text.ts'
import { measureBlock } from './block-size.ts'

/** How to go on reading in the middle of a text. */
export interface Resume {
  /** Markdown to be read first: it opens again what is open there. */
  prelude: string
  /** The numbers that the lists begin with that the text begins with, from the outermost on. */
  numbers: readonly number[]
}

export const FROM_START: Resume = { prelude: '', numbers: [] }

/** A block of a text, or one item of its list, or one row of its table, as Telegram's Markdown. */
export interface Piece {
  /** Where its first line begins and where the next piece does. */
  start: number
  end: number
  type: RootContent['type']
  /** Stands right below the piece before it. */
  isTight: boolean
  resume: Resume
  /** Empty for what shows nothing. */
  markdown: string
  /** Blocks as Telegram counts them. */
  blocks: number
  /** What it defines and refers to. */
  names: DefinitionSet
  /** Whether it may say something else once more names are known. */
  mayRefer: boolean
}

export interface Stretch {
  source: string
  start: number
  end: number
  resume: Resume
  /** What the rest of the text defines and refers to. */
  names: DefinitionSet
  /** Whether what goes on from before is shown with its head: that of a table is repeated. */
  opensMessage: boolean
  /** Whether what is not complete yet is closed for the moment, or held back. */
  isInterim: boolean
}

/** A block with more blocks in it, or deeper ones, is shown as text. */
const PIECE_BLOCKS_MAX = 100
const PIECE_DEPTH_MAX = 12
const PARAGRAPH_GAP = '\n\n'

type Draft = Pick<Piece, 'type' | 'isTight' | 'resume' | 'markdown' | 'blocks'> & {
  offset: number
  node: RootContent | List['children'][number] | Table['children'][number]
}

/**
 * Parses a stretch of a text with what stands in front to be read first.
 *
 * @param known What was parsed last: most often it is the same.
 */
export function parseStretch(
  { source, start, end, resume, names }: Stretch,
  known?: ParsedText,
): ParsedText {
  const text = `${toDefinitions(names).stub}${resume.prelude}${source.slice(start, end)}`
  return known?.text === text ? known : parseText(text)
}

/** Reads a stretch of a text into its pieces, without a gap from its start to its end. */
export function readPieces(stretch: Stretch, parsed = parseStretch(stretch)): Piece[] {
  const { source, start, end, resume, names, opensMessage, isInterim } = stretch
  const { stub } = toDefinitions(names)
  const opening = `${stub}${resume.prelude}`
  const { text, root } = isInterim
    ? closeTail({ ...parsed, text: maskCostly(parsed.text) }, opening.length)
    : parsed
  const written = root.children.filter(
    ({ position }) => (position?.start.offset ?? 0) >= stub.length,
  )
  const nodes = withNumbers(written, resume.numbers)
  const known = mergeDefinitions([names, collectDefinitions(nodes)])
  const context: BlockContext = {
    source: text,
    definitions: toDefinitions(known),
    resumesAt: opening.length,
    depth: 0,
    closesOpen: isInterim,
  }
  const drafts = nodes.flatMap((node) => toDrafts(node, context, { resume, opensMessage }))
  return drafts.map(({ offset, node, ...draft }, index) => {
    const next = drafts[index + 1]
    const from = index === 0 ? start : toSource(offset)
    const to = next ? toSource(next.offset) : end
    return {
      ...draft,
      start: from,
      end: to,
      names: collectDefinitions([node]),
      mayRefer: source.slice(from, to).includes('['),
    }
  })

  function toSource(offset: number): number {
    const lineStart = text.lastIndexOf('\n', offset - 1) + 1
    return Math.min(Math.max(lineStart - opening.length, 0) + start, end)
  }
}

function toDrafts(
  node: RootContent,
  context: BlockContext,
  { resume, opensMessage }: Pick<Stretch, 'resume' | 'opensMessage'>,
): Draft[] {
  const isResumed = isResumedHere(node, context)
  if (node.type === 'list') return toItems(node, context, isResumed ? resume : FROM_START)
  if (node.type === 'table' && !isWide(node)) {
    const head = headOf(node, context)
    const rows = toRows(node, context, { prelude: head, numbers: [] })
    return isResumed && !opensMessage ? rows.slice(1) : rows
  }
  const written = writeSafely(node, context, () => writeBlock(node, context))
  const draft = { type: node.type, isTight: false, resume: isResumed ? resume : FROM_START }
  return [{ ...draft, ...written, offset: offsetOf(node), node }]
}

function toItems(list: List, context: BlockContext, resume: Resume): Draft[] {
  return list.children.map((item, index) => {
    const isResumed = isResumedHere(item, context)
    const numbers = list.ordered ? [(list.start ?? 1) + index] : []
    const single = { ...list, children: [item], ...(list.ordered && { start: numbers[0] ?? 1 }) }
    return {
      ...writeSafely(single, context, () =>
        isResumed ? writeBlocks(item.children, context) : writeListItem(list, index, context),
      ),
      type: 'list',
      isTight: index > 0 && !isResumedHere(list.children[index - 1] ?? item, context),
      resume: isResumed ? resume : { prelude: '', numbers },
      offset: offsetOf(item),
      node: item,
    }
  })
}

function toRows(table: Table, context: BlockContext, resume: Resume): Draft[] {
  return table.children.map((row, index) => ({
    type: 'table',
    isTight: index > 0,
    resume: index > 0 ? resume : FROM_START,
    markdown:
      index > 0
        ? writeTableRow(row, table, inlinePlace(context))
        : writeTableHead(table, inlinePlace(context)),
    blocks: index > 0 ? 1 : 2,
    offset: offsetOf(row),
    node: row,
  }))
}

/** The two lines that make a table of the lines behind them. */
function headOf(table: Table, { source }: BlockContext): string {
  const from = source.lastIndexOf('\n', offsetOf(table) - 1) + 1
  const firstEnd = source.indexOf('\n', from)
  const secondEnd = source.indexOf('\n', firstEnd + 1)
  return secondEnd === -1 ? `${source.slice(from)}\n` : source.slice(from, secondEnd + 1)
}

/** What would be too much for Telegram is shown as text. */
function writeSafely(
  node: RootContent,
  context: BlockContext,
  write: () => string,
): { markdown: string; blocks: number } {
  const { count, depth } = measureBlock(node)
  if (count <= PIECE_BLOCKS_MAX && depth <= PIECE_DEPTH_MAX) {
    return { markdown: write(), blocks: count }
  }
  const { text } = formatBlocks([node], context.definitions)
  const markdown = writeTextLines(text)
  return { markdown, blocks: markdown.split(PARAGRAPH_GAP).length }
}

/** The blocks, their first lists with the numbers that these begin with. */
function withNumbers<Node extends RootContent>(
  nodes: readonly Node[],
  numbers: readonly number[],
): readonly Node[] {
  const [first, ...rest] = nodes
  if (first === undefined || numbers.length === 0) return nodes
  if (first.type === 'blockquote') {
    return [{ ...first, children: [...withNumbers(first.children, numbers)] }, ...rest]
  }
  if (first.type !== 'list') return nodes
  const [item, ...items] = first.children
  const inner = first.ordered ? numbers.slice(1) : numbers
  const start = first.ordered ? (numbers[0] ?? first.start ?? 1) : first.start
  const children = item
    ? [{ ...item, children: [...withNumbers(item.children, inner)] }, ...items]
    : []
  return [{ ...first, start, children }, ...rest]
}

/** To the parser a heading with its line below begins at the definitions right in front of it. */
function offsetOf(node: RootContent): number {
  const { position } = (node.type === 'heading' && node.children[0]) || node
  return position?.start.offset ?? 0
}

/** Puts pieces together to what one message shows. */
export function joinPieces(pieces: readonly Piece[]): string {
  let joined = ''
  for (const { markdown, isTight } of pieces) {
    if (markdown === '') continue
    joined += joined === '' ? markdown : `${isTight ? '\n' : '\n\n'}${markdown}`
  }
  return joined
}
