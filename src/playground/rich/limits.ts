import type { RichBlock, RichBlockCaption, RichText } from 'grammy/types'
import { codePoints } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { insideOf } from './rich-text.ts'

const TEXT_CHARS_MAX = 32_768
const BLOCKS_MAX = 500
const DEPTH_MAX = 16
const COLUMNS_MAX = 20
const MEDIA_MAX = 50
const RUNS_MAX = 5_849
const BUTTONS_MAX = 8

/**
 * Reads the blocks of a message and checks them.
 *
 * @throws {ApiError} For the first limit that is passed, in Telegram's order, or for emptiness.
 */
export function checkedBlocks(read: () => RichBlock[], options: { isDraft: boolean }): RichBlock[] {
  try {
    const blocks = read()
    checkRich(blocks, options)
    return blocks
  } catch (error) {
    // The stack ends long after the limit does.
    if (error instanceof RangeError) throw badRequest('RICH_MESSAGE_DEPTH_INVALID')
    throw error
  }
}

function checkRich(blocks: readonly RichBlock[], { isDraft }: { isDraft: boolean }): void {
  let chars = 0
  let blockCount = 0
  let deepest = 0
  let columns = 0
  let media = 0
  /** Formatted stretches. */
  let runs = 0
  const anchors = new Set<string>()
  const anchorLinks = new Set<string>()
  addBlocks(blocks, 0)
  if (chars > TEXT_CHARS_MAX) throw badRequest('RICH_MESSAGE_TEXT_TOO_LONG')
  if (blockCount > BLOCKS_MAX) throw badRequest('RICH_MESSAGE_BLOCKS_TOO_MANY')
  if (deepest > DEPTH_MAX) throw badRequest('RICH_MESSAGE_DEPTH_INVALID')
  if (columns > COLUMNS_MAX) throw badRequest('RICH_MESSAGE_TABLE_COLS_TOO_MANY')
  if (media > MEDIA_MAX) throw badRequest('RICH_MESSAGE_MEDIA_TOO_MANY')
  if (runs > RUNS_MAX) throw badRequest('RICH_MESSAGE_TOO_LARGE')
  if (!anchorLinks.isSubsetOf(anchors)) throw badRequest('RICH_MESSAGE_URL_INVALID')

  /** List items and table rows count as blocks, a list item as a level. */
  function addBlocks(siblings: readonly RichBlock[], depth: number): void {
    deepest = Math.max(deepest, depth)
    blockCount += siblings.length
    for (const block of siblings) addBlock(block, depth)
  }

  /** @param depth Of what the block stands in. */
  function addBlock(block: RichBlock, depth: number): void {
    switch (block.type) {
      case 'list':
        requireContent(block.items.length > 0)
        blockCount += block.items.length
        for (const item of block.items) {
          requireContent(item.blocks.length > 0)
          addBlocks(item.blocks, depth + 2)
        }
        break
      case 'blockquote':
        addText(block.credit ?? '', depth + 1)
        addBlocks(block.blocks, depth + 1)
        break
      case 'details':
        // Fifteen in each other were seen to pass, sixteen not: the summary is one more level.
        deepest = Math.max(deepest, depth + 2)
        requireContent(block.summary !== '')
        addText(block.summary, depth + 1)
        addBlocks(block.blocks, depth + 1)
        break
      case 'collage':
      case 'slideshow':
        requireContent(block.blocks.length > 0)
        addBlocks(block.blocks, depth + 1)
        addCaption(block.caption, depth)
        break
      case 'photo':
      case 'video':
      case 'animation':
      case 'audio':
      case 'voice_note':
      case 'document':
        media++
        addCaption(block.caption, depth)
        break
      case 'map':
        addCaption(block.caption, depth)
        break
      case 'buttons':
        requireContent(block.buttons.length > 0)
        if (block.buttons.length > BUTTONS_MAX) {
          throw badRequest('too many buttons in a row of the rich message')
        }
        for (const { text } of block.buttons) addText(text, depth)
        break
      case 'table':
        requireContent(block.cells.length > 0)
        addText(block.caption ?? '', depth)
        blockCount += block.cells.length
        for (const row of block.cells) {
          columns = Math.max(
            columns,
            row.reduce((sum, { colspan = 1 }) => sum + colspan, 0),
          )
          for (const { text = '' } of row) addText(text, depth)
        }
        break
      case 'mathematical_expression':
        requireContent(block.expression !== '')
        chars += codePoints(block.expression)
        break
      case 'anchor':
        anchors.add(block.name)
        break
      case 'thinking':
        requireContent(isDraft)
        addText(block.text, depth)
        break
      case 'heading':
      case 'pre':
      case 'paragraph':
      case 'footer':
      case 'expandable_blockquote':
      case 'pullquote':
        requireContent(block.text !== '')
        if ('credit' in block) addText(block.credit ?? '', depth)
        addText(block.text, depth)
        break
      default:
    }
  }

  function addCaption(caption: RichBlockCaption | undefined, depth: number): void {
    addText(caption?.text ?? '', depth)
    addText(caption?.credit ?? '', depth)
  }

  function addText(text: RichText, depth: number): void {
    if (typeof text === 'string') chars += codePoints(text)
    else if (Array.isArray(text)) for (const part of text) addText(part, depth)
    else {
      runs++
      deepest = Math.max(deepest, depth + 1)
      if (text.type === 'anchor' || text.type === 'reference') anchors.add(text.name)
      // Without a name it leads to the top.
      if (text.type === 'anchor_link' && text.anchor_name !== '') anchorLinks.add(text.anchor_name)
      addText(insideOf(text), depth + 1)
    }
  }
}

function requireContent(isThere: boolean): void {
  if (!isThere) throw badRequest('RICH_MESSAGE_CONTENT_REQUIRED')
}
