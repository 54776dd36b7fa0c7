import type {
  RichBlock,
  RichBlockCaption,
  RichBlockListItem,
  RichBlockTableCell,
  RichText,
} from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import type { RichOptions } from '../context.ts'
import { checkedBlocks } from '../limits.ts'
import { isListType, labelOf } from '../list-labels.ts'
import { trimText } from '../rich-text.ts'
import { type Fields, openFields } from './fields.ts'
import { readButton } from './read-button.ts'
import { type AwaitedMedia, MEDIA_TYPES, type ReadMedia } from './read-media.ts'
import { readText, type TextOptions } from './read-text.ts'

const ALIGNS = ['left', 'center', 'right'] as const
const VALIGNS = ['top', 'middle', 'bottom'] as const
/** The types that are a text and nothing else. */
const TEXT_TYPES = ['paragraph', 'footer', 'thinking'] as const
const QUOTE_TYPES = ['expandable_blockquote', 'pullquote'] as const
const GALLERY_TYPES = ['collage', 'slideshow'] as const
const ZOOM = { min: 13, max: 20, givenMax: 24 }
const MAP_SIDES_MAX = 10_000
const MAP_RATIO_MAX = 20

export interface BlockOptions extends Pick<RichOptions, 'isDraft'>, TextOptions {
  readMedia: ReadMedia
}

/**
 * Reads the `blocks` of a rich message.
 *
 * @returns With the blocks those that have yet to get their files.
 * @throws {ApiError} For a field that is missing or of another type, for what is empty, or beyond a limit.
 */
export function parseRichBlocks(
  value: unknown,
  options: BlockOptions,
): { blocks: RichBlock[]; awaited: AwaitedMedia[] } {
  const awaited: AwaitedMedia[] = []
  const text = (given: unknown): RichText => trimText(readText(given, options))
  const message = openFields({ blocks: value }, 'InputRichMessage')
  const blocks = checkedBlocks(() => readBlocks(message), options)
  if (blocks.length === 0) throw badRequest('RICH_MESSAGE_CONTENT_REQUIRED')
  return { blocks, awaited }

  function readBlocks(fields: Fields): RichBlock[] {
    return fields.list('blocks').map((block) => readBlock(openFields(block, 'InputRichBlock')))
  }

  function readBlock(fields: Fields): RichBlock {
    const type = fields.text('type')
    const textType = TEXT_TYPES.find((known) => known === type)
    if (textType) return { type: textType, text: text(fields.any('text')) }
    const quoteType = QUOTE_TYPES.find((known) => known === type)
    if (quoteType) return { type: quoteType, text: text(fields.any('text')), ...readCredit(fields) }
    const galleryType = GALLERY_TYPES.find((known) => known === type)
    if (galleryType) {
      return { type: galleryType, blocks: readBlocks(fields), ...readCaption(fields) }
    }
    const mediaType = MEDIA_TYPES.find((known) => known === type)
    if (mediaType) {
      const takeIn = options.readMedia(mediaType, fields.any(mediaType))
      // Its file comes last, when all of the message has been checked.
      const block = { type: mediaType, ...readCaption(fields) } as unknown as RichBlock
      awaited.push({ block, takeIn })
      return block
    }
    switch (type) {
      case 'heading':
        return { type, text: text(fields.any('text')), size: readSize(fields) }
      case 'pre': {
        const language = fields.optionalText('language')
        const code = readText(fields.any('text'), { ...options, skipEntityDetection: true })
        const shown = typeof code === 'string' ? code.replace(/\t/g, ' ') : code
        return { type, text: shown, ...(language !== '' && { language }) }
      }
      case 'divider':
        return { type }
      case 'mathematical_expression':
        return { type, expression: fields.text('expression') }
      case 'anchor':
        return { type, name: fields.text('name') }
      case 'list':
        return { type, items: fields.list('items').map(readItem) }
      case 'blockquote':
        return { type, blocks: readBlocks(fields), ...readCredit(fields) }
      case 'details': {
        const summary = text(fields.any('summary'))
        const isOpen = fields.isTrue('is_open')
        return { type, summary, blocks: readBlocks(fields), ...(isOpen && { is_open: true }) }
      }
      case 'table':
        return readTable(fields)
      case 'map':
        return readMap(fields)
      case 'buttons': {
        const align = ALIGNS.find((known) => known === fields.value.align)
        const readLabel = (given: unknown) =>
          readText(given, { ...options, skipEntityDetection: true })
        const buttons = fields
          .list('buttons')
          .map((button) => readButton(button, readLabel, options.opens))
        return { type, buttons, ...(align && { align }) }
      }
      default:
        throw fields.complain(`type "${type}" is unsupported`)
    }
  }

  /** A number or a type makes an item one of an ordered list. */
  function readItem(given: unknown, index: number): RichBlockListItem {
    const fields = openFields(given, 'InputRichBlockListItem')
    const isOrdered = fields.has('value') || fields.has('type')
    const type = fields.optionalText('type') || '1'
    if (!isListType(type)) throw fields.complain(`type "${type}" is unsupported`)
    const value = fields.has('value') ? fields.integer('value') : index + 1
    const isChecked = fields.isTrue('is_checked')
    return {
      label: isOrdered ? labelOf(value, type) : '•',
      blocks: readBlocks(fields),
      ...(isOrdered && { value, type }),
      ...(fields.isTrue('has_checkbox') && {
        has_checkbox: true,
        ...(isChecked && { is_checked: true }),
      }),
    }
  }

  function readTable(fields: Fields): RichBlock {
    const cells = fields.list('cells').map((row) => {
      if (!Array.isArray(row)) throw fields.complain('Field "cells" must be of type Array of Array')
      return row.map((cell) => readCell(openFields(cell, 'RichBlockTableCell')))
    })
    const caption = fields.has('caption') ? text(fields.any('caption')) : ''
    return {
      type: 'table',
      cells,
      ...(fields.isTrue('is_bordered') && { is_bordered: true }),
      ...(fields.isTrue('is_striped') && { is_striped: true }),
      ...(fields.isTrue('is_compact') && { is_compact: true }),
      ...(caption !== '' && { caption }),
    }
  }

  function readCell(fields: Fields): RichBlockTableCell {
    const inside = fields.has('text') ? text(fields.any('text')) : ''
    const colspan = fields.has('colspan') ? fields.integer('colspan') : 1
    const rowspan = fields.has('rowspan') ? fields.integer('rowspan') : 1
    return {
      ...(inside !== '' && { text: inside }),
      ...(fields.isTrue('is_header') && { is_header: true }),
      ...(colspan > 1 && { colspan }),
      ...(rowspan > 1 && { rowspan }),
      align: ALIGNS.find((align) => align === fields.value.align) ?? 'left',
      valign: VALIGNS.find((valign) => valign === fields.value.valign) ?? 'middle',
    }
  }

  function readMap(fields: Fields): RichBlock {
    const point = openFields(fields.any('location'), 'Location')
    const [latitude, longitude] = [point.number('latitude'), point.number('longitude')]
    const [zoom, width, height] = [
      fields.integer('zoom'),
      fields.integer('width'),
      fields.integer('height'),
    ]
    const [short = 0, long = 0] = [width, height].sort((a, b) => a - b)
    const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
    const isMap = short >= 0 && short + long <= MAP_SIDES_MAX && long <= short * MAP_RATIO_MAX
    const isZoom = zoom >= 0 && zoom <= ZOOM.givenMax
    if (!isPlace || !isMap || !isZoom)
      throw fields.complain('wrong location, zoom or size of the map')
    const shown = Math.min(ZOOM.max, Math.max(ZOOM.min, zoom)) as 13
    const location = { latitude, longitude }
    return { type: 'map', location, zoom: shown, width, height, ...readCaption(fields) }
  }

  function readCredit(fields: Fields): { credit?: RichText } {
    const credit = fields.has('credit') ? text(fields.any('credit')) : ''
    return credit === '' ? {} : { credit }
  }

  function readCaption(fields: Fields): { caption?: RichBlockCaption } {
    if (!fields.has('caption')) return {}
    const caption = openFields(fields.any('caption'), 'RichBlockCaption')
    return { caption: { text: text(caption.any('text')), ...readCredit(caption) } }
  }
}

function readSize(fields: Fields) {
  const size = ([1, 2, 3, 4, 5, 6] as const).find((known) => known === fields.integer('size'))
  if (size === undefined) throw fields.complain('Field "size" must be from 1 to 6')
  return size
}
