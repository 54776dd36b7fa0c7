import type { List, RootContent, Table } from 'mdast'
import { closeTail } from '../interim/close-tail.ts'
import {
  collectDefinitions,
  type Definitions,
  mergeDefinitions,
  writeStub,
} from '../parse/definitions.ts'
import { maskSigns, type ParsedText, parseText } from '../parse/parse-markdown.ts'
import { collectSigns, type RichSign } from '../write/rich-needs.ts'
import {
  type BlockContext,
  isResumedHere,
  toInlineContext,
  writeBlock,
  writeBlocks,
  writeListItem,
} from '../write/write-blocks.ts'
import { isWide, writeTableHead, writeTableRow } from '../write/write-table.ts'
import { writeBounded } from './bounded-block.ts'
import { countDetailsBlocks, type DetailsPart, writeDetails } from './details.ts'

/** How reading goes on in the middle of a text. */
export interface Resume {
  /** Markdown to be read first: it opens the blocks again that are open there. */
  prelude: string
  numbers: readonly number[]
}

export const FROM_START: Resume = { prelude: '', numbers: [] }

/** A block of a text, or one item of its list, or one row of its table, as Telegram's Markdown. */
export interface Piece {
  start: number
  end: number
  type: RootContent['type']
  isTight: boolean
  resume: Resume
  markdown: string
  blocks: number
  details?: readonly DetailsPart[] | undefined
  definitions: Definitions
  mayRefer: boolean
  signs: ReadonlySet<RichSign>
}

/** A stretch of a text, with what has to be known of the rest to read it. */
export interface Stretch {
  source: string
  start: number
  end: number
  resume: Resume
  definitions: Definitions
  opensMessage?: boolean
  isInterim?: boolean
}

type OffsetPiece = Pick<
  Piece,
  'type' | 'isTight' | 'resume' | 'markdown' | 'blocks' | 'details'
> & {
  offset: number
  node: RootContent | List['children'][number] | Table['children'][number]
}

/**
 * Parses a stretch of a text, after the Markdown that makes its definitions known and opens its blocks.
 *
 * @param known What was parsed last: most often it is the same.
 */
export function parseStretch(
  { source, start, end, resume, definitions }: Stretch,
  known?: ParsedText,
): ParsedText {
  const text = `${writeStub(definitions)}${resume.prelude}${source.slice(start, end)}`
  return known?.text === text ? known : parseText(text)
}

/** Reads a stretch of a text into its pieces. From its start to its end there is no gap. */
export function readPieces(stretch: Stretch, parsed = parseStretch(stretch)): Piece[] {
  const {
    source,
    start,
    end,
    resume,
    definitions,
    opensMessage = false,
    isInterim = false,
  } = stretch
  const stub = writeStub(definitions)
  const opening = `${stub}${resume.prelude}`
  const { text, root } = isInterim
    ? closeTail({ ...parsed, text: maskSigns(parsed.text) }, opening.length)
    : parsed
  const written = root.children.filter(
    ({ position }) => (position?.start.offset ?? 0) >= stub.length,
  )
  const nodes = withNumbers(written, resume.numbers)
  const context: BlockContext = {
    source: text,
    definitions: mergeDefinitions([definitions, collectDefinitions(nodes)]),
    resumesAt: opening.length,
    depth: 0,
    closesOpen: isInterim,
  }
  const pieces = nodes.flatMap((node) => toOffsetPieces(node, context, { resume, opensMessage }))
  return pieces.map(({ offset, node, ...piece }, index) => {
    const next = pieces[index + 1]
    const from = index === 0 ? start : toSource(offset)
    const to = next ? toSource(next.offset) : end
    return {
      ...piece,
      start: from,
      end: to,
      definitions: collectDefinitions([node]),
      mayRefer: source.slice(from, to).includes('['),
      signs: collectSigns(node),
    }
  })

  function toSource(offset: number): number {
    const lineStart = text.lastIndexOf('\n', offset - 1) + 1
    return Math.min(Math.max(lineStart - opening.length, 0) + start, end)
  }
}

function toOffsetPieces(
  node: RootContent,
  context: BlockContext,
  { resume, opensMessage }: { resume: Resume; opensMessage: boolean },
): OffsetPiece[] {
  const isResumed = isResumedHere(node, context)
  if (node.type === 'list') return toItems(node, context, isResumed ? resume : FROM_START)
  if (node.type === 'table' && !isWide(node)) {
    const head = headOf(node, context)
    const rows = toRows(node, context, { prelude: head, numbers: [] })
    return isResumed && !opensMessage ? rows.slice(1) : rows
  }
  const from = { resume: isResumed ? resume : FROM_START, offset: offsetOf(node) }
  const piece = { ...from, type: node.type, isTight: false, node }
  const details = writeDetails(node, context)
  if (details) return [{ ...piece, markdown: '', blocks: countDetailsBlocks(details), details }]
  const written = writeBounded(node, context.definitions, () => writeBlock(node, context))
  return [{ ...piece, ...written }]
}

function toItems(list: List, context: BlockContext, resume: Resume): OffsetPiece[] {
  return list.children.map((item, index) => {
    const isResumed = isResumedHere(item, context)
    const numbers = list.ordered ? [(list.start ?? 1) + index] : []
    const single = { ...list, children: [item], ...(list.ordered && { start: numbers[0] ?? 1 }) }
    return {
      ...writeBounded(single, context.definitions, () =>
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

function toRows(table: Table, context: BlockContext, resume: Resume): OffsetPiece[] {
  return table.children.map((row, index) => ({
    type: 'table',
    isTight: index > 0,
    resume: index > 0 ? resume : FROM_START,
    markdown:
      index > 0
        ? writeTableRow(row, table, toInlineContext(context))
        : writeTableHead(table, toInlineContext(context)),
    blocks: index > 0 ? 1 : 2,
    offset: offsetOf(row),
    node: row,
  }))
}

function headOf(table: Table, { source }: BlockContext): string {
  const from = source.lastIndexOf('\n', offsetOf(table) - 1) + 1
  const firstEnd = source.indexOf('\n', from)
  const secondEnd = source.indexOf('\n', firstEnd + 1)
  return secondEnd === -1 ? `${source.slice(from)}\n` : source.slice(from, secondEnd + 1)
}

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

/** Finds where a node begins: to the parser, an underlined heading begins at the definitions right above it. */
function offsetOf(node: RootContent): number {
  const { position } = (node.type === 'heading' && node.children[0]) || node
  return position?.start.offset ?? 0
}
