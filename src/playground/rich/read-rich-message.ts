import type { RichBlock } from 'grammy/types'
import { isJsonObject, parseJson } from '../../http/json.ts'
import type { EntityText } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { type Params, textOf } from '../wire/params.ts'
import type { RichOptions } from './context.ts'
import { parseRichMarkdown } from './parse-markdown.ts'
import { plainTextOf } from './plain-text.ts'

/** The content of a rich message: what was given, and what was made of it. */
export interface RichContent {
  markdown: string
  blocks: RichBlock[]
  isRtl: boolean
  skipEntityDetection: boolean
}

/**
 * Reads the `rich_message` of a call.
 *
 * Of the three sources only Markdown is built; a message from HTML or blocks is refused.
 *
 * @returns Its text is what the reader sees without the looks.
 */
export function readRichMessage(
  params: Params,
  { unclosedHtml, isDraft = false }: Pick<RichOptions, 'unclosedHtml'> & { isDraft?: boolean },
): EntityText & { rich: RichContent } {
  const value = parseJson(textOf(params, 'rich_message'))
  if (!isJsonObject(value)) throw badRequest('rich message must be non-empty')
  const sources = (['blocks', 'markdown', 'html'] as const).filter((name) => name in value)
  if (sources.length > 1) {
    throw badRequest('exactly one of blocks, markdown and html is expected in a rich message')
  }
  const { markdown = '' } = value
  if (sources[0] === 'blocks' || sources[0] === 'html' || 'media' in value) {
    throw badRequest('the playground builds rich messages from markdown alone')
  }
  if (typeof markdown !== 'string') {
    throw badRequest(`can't parse InputRichMessage: Field "markdown" must be of type String`)
  }
  const skipEntityDetection = value.skip_entity_detection === true
  const blocks = parseRichMarkdown(markdown, { unclosedHtml, isDraft, skipEntityDetection })
  const rich = { markdown, blocks, isRtl: value.is_rtl === true, skipEntityDetection }
  return { rich, text: plainTextOf(blocks), entities: [] }
}
