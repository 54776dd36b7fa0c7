import type { RichBlock, RichText } from 'grammy/types'
import { codePoints } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { insideOf } from './rich-text.ts'

const TEXT_CHARS_MAX = 32_768
const BLOCKS_MAX = 500
const DEPTH_MAX = 16
const COLUMNS_MAX = 20
const RUNS_MAX = 5_849

/** What the limits are about. List items and table rows count as blocks, a list item as a level. */
interface Measure {
  chars: number
  blocks: number
  depth: number
  columns: number
  /** Formatted stretches. */
  runs: number
  anchors: Set<string>
  anchorLinks: Set<string>
}

/** @throws {ApiError} For the first limit that is passed, in Telegram's order, or for emptiness. */
export function checkRich(blocks: readonly RichBlock[], { isDraft }: { isDraft: boolean }): void {
  const measure: Measure = {
    chars: 0,
    blocks: 0,
    depth: 0,
    columns: 0,
    runs: 0,
    anchors: new Set(),
    anchorLinks: new Set(),
  }
  for (const block of blocks) addBlock(block, 0, measure, isDraft)
  if (measure.chars > TEXT_CHARS_MAX) throw badRequest('RICH_MESSAGE_TEXT_TOO_LONG')
  if (measure.blocks > BLOCKS_MAX) throw badRequest('RICH_MESSAGE_BLOCKS_TOO_MANY')
  if (measure.depth > DEPTH_MAX) throw badRequest('RICH_MESSAGE_DEPTH_INVALID')
  if (measure.columns > COLUMNS_MAX) throw badRequest('RICH_MESSAGE_TABLE_COLS_TOO_MANY')
  if (measure.runs > RUNS_MAX) throw badRequest('RICH_MESSAGE_TOO_LARGE')
  for (const name of measure.anchorLinks) {
    if (!measure.anchors.has(name)) throw badRequest('RICH_MESSAGE_URL_INVALID')
  }
}

/** @param depth Of what the block stands in. */
function addBlock(block: RichBlock, depth: number, measure: Measure, isDraft: boolean): void {
  measure.blocks++
  const inside = (blocks: readonly RichBlock[], level: number) => {
    measure.depth = Math.max(measure.depth, level)
    for (const child of blocks) addBlock(child, level, measure, isDraft)
  }
  switch (block.type) {
    case 'list':
      requireContent(block.items.length > 0)
      for (const { blocks } of block.items) {
        measure.blocks++
        requireContent(blocks.length > 0)
        inside(blocks, depth + 2)
      }
      break
    case 'blockquote':
      addText(block.credit ?? '', depth + 1, measure)
      inside(block.blocks, depth + 1)
      break
    case 'details':
      // Fifteen in each other were seen to pass, sixteen not: the summary is one more level.
      measure.depth = Math.max(measure.depth, depth + 2)
      requireContent(block.summary !== '')
      addText(block.summary, depth + 1, measure)
      inside(block.blocks, depth + 1)
      break
    case 'table':
      for (const row of block.cells) {
        measure.blocks++
        const columns = row.reduce((sum, { colspan = 1 }) => sum + colspan, 0)
        measure.columns = Math.max(measure.columns, columns)
        for (const { text = '' } of row) addText(text, depth, measure)
      }
      break
    case 'mathematical_expression':
      requireContent(block.expression !== '')
      measure.chars += codePoints(block.expression)
      break
    case 'anchor':
      measure.anchors.add(block.name)
      break
    case 'thinking':
      requireContent(isDraft)
      addText(block.text, depth, measure)
      break
    case 'heading':
    case 'pre':
    case 'paragraph':
    case 'footer':
    case 'expandable_blockquote':
    case 'pullquote':
      requireContent(block.text !== '')
      if ('credit' in block) addText(block.credit ?? '', depth, measure)
      addText(block.text, depth, measure)
      break
    default:
  }
}

function addText(text: RichText, depth: number, measure: Measure): void {
  if (typeof text === 'string') {
    measure.chars += codePoints(text)
    return
  }
  if (Array.isArray(text)) {
    for (const part of text) addText(part, depth, measure)
    return
  }
  measure.runs++
  measure.depth = Math.max(measure.depth, depth + 1)
  if (text.type === 'anchor') measure.anchors.add(text.name)
  if (text.type === 'anchor_link') measure.anchorLinks.add(text.anchor_name)
  addText(insideOf(text), depth + 1, measure)
}

function requireContent(isThere: boolean): void {
  if (!isThere) throw badRequest('RICH_MESSAGE_CONTENT_REQUIRED')
}
