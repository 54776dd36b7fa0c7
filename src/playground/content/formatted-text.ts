import type { MessageEntity } from 'grammy/types'
import { badRequest } from '../wire/envelope.ts'
import { type Params, textOf } from '../wire/params.ts'
import { readEntities } from './entities.ts'
import { parseHtml } from './parse-mode/html.ts'
import { parseMarkdown } from './parse-mode/markdown.ts'
import { parseMarkdownV2 } from './parse-mode/markdown-v2.ts'
import type { EntityText } from './text.ts'

const TEXT_BYTES_MAX = 32_768

/** The order in which Telegram names several entities that span the same text. */
const ORDER: readonly MessageEntity['type'][] = [
  'blockquote',
  'expandable_blockquote',
  'pre',
  'code',
  'text_link',
  'text_mention',
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
]

/** The names of the parameters that a formatted text comes in. */
export interface TextParams {
  text: string
  entities: string
  parseMode: string
}

export const TEXT: TextParams = { text: 'text', entities: 'entities', parseMode: 'parse_mode' }
export const CAPTION: TextParams = {
  text: 'caption',
  entities: 'caption_entities',
  parseMode: 'parse_mode',
}

/**
 * Reads a text with its entities or in a parse mode, not yet cleaned.
 *
 * @throws {ApiError} For a text that is too long, an unknown mode, and markup that cannot be read.
 */
export function readFormatted(params: Params, names: TextParams): EntityText {
  const text = textOf(params, names.text)
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) throw badRequest('text is too long')
  const parsed = parse(text, textOf(params, names.parseMode).toLowerCase())
  if (parsed === undefined) return { text, entities: readEntities(params, names.entities) }
  const entities = parsed.entities.toSorted((a, b) => rank(a) - rank(b))
  return { text: parsed.text, entities }
}

function parse(text: string, parseMode: string): EntityText | undefined {
  switch (parseMode) {
    case '':
    case 'none':
      return undefined
    case 'html':
      return parseHtml(text)
    case 'markdown':
      return parseMarkdown(text)
    case 'markdownv2':
      return parseMarkdownV2(text)
    default:
      throw badRequest('unsupported parse_mode')
  }
}

function rank({ type }: MessageEntity): number {
  const index = ORDER.indexOf(type)
  return index < 0 ? ORDER.length : index
}
