import type { RichBlock } from 'grammy/types'
import { isJsonObject, type JsonObject, parseJson } from '../../platform/http/json.ts'
import type { OpenedPages } from '../content/markup.ts'
import type { EntityText } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { type Params, textOf } from '../wire/params.ts'
import type { RichOptions } from './context.ts'
import { parseRichHtml } from './from-html/parse-html.ts'
import { parseRichBlocks } from './from-json/parse-blocks.ts'
import type { AwaitedMedia, ReadMedia } from './from-json/read-media.ts'
import { parseRichMarkdown } from './parse-markdown.ts'
import { plainTextOf } from './plain-text.ts'

/** The content of a rich message: what was given, and what was made of it. */
export interface RichContent {
  /** The source of a message that was given as Markdown. */
  markdown?: string
  blocks: RichBlock[]
  isRtl: boolean
  skipEntityDetection: boolean
}

export interface RichDeps extends Pick<RichOptions, 'unclosedHtml' | 'isDraft'> {
  opens: OpenedPages
  readMedia: ReadMedia
}

/** @returns Takes in the files of its blocks. Its text is what the reader sees without the looks. */
export type MakeRichContent = () => Promise<EntityText & { rich: RichContent }>

/**
 * Reads the `rich_message` of a call. Of several sources blocks count before Markdown, and that before HTML.
 *
 * @throws {ApiError} For what is no rich message, or one that Telegram would refuse.
 */
export function readRichMessage(params: Params, deps: RichDeps): MakeRichContent {
  const value = parseJson(textOf(params, 'rich_message'))
  if (!isJsonObject(value)) throw badRequest('rich message must be non-empty')
  const skipEntityDetection = value.skip_entity_detection === true
  const {
    blocks,
    awaited = [],
    markdown,
  } = readSource(value, {
    unclosedHtml: deps.unclosedHtml,
    isDraft: deps.isDraft,
    opens: deps.opens,
    readMedia: deps.readMedia,
    skipEntityDetection,
  })
  return async () => {
    for (const { block, takeIn } of awaited) Object.assign(block, await takeIn())
    const isRtl = value.is_rtl === true
    const given = markdown === undefined ? {} : { markdown }
    const rich = { ...given, blocks, isRtl, skipEntityDetection }
    return { rich, text: plainTextOf(blocks), entities: [] }
  }
}

interface Source {
  blocks: RichBlock[]
  awaited?: AwaitedMedia[]
  markdown?: string
}

function readSource(value: JsonObject, options: RichDeps & RichOptions): Source {
  if (isGiven(value.blocks)) return parseRichBlocks(value.blocks, options)
  if (isGiven(value.media)) {
    throw badRequest('the playground takes media of rich messages in blocks alone')
  }
  if (isGiven(value.html) && !isGiven(value.markdown)) {
    return { blocks: parseRichHtml(textIn(value, 'html'), options) }
  }
  const markdown = textIn(value, 'markdown')
  return { blocks: parseRichMarkdown(markdown, options), markdown }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function textIn(value: JsonObject, name: string): string {
  const text = value[name] ?? ''
  if (typeof text === 'string') return text
  throw badRequest(`can't parse InputRichMessage: Field "${name}" must be of type String`)
}
