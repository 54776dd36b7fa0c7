import type { LinkPreviewOptions, MessageEntity } from 'grammy/types'
import { readEntities } from '../../content/entities.ts'
import { cleanText, codePoints, type FormattedText } from '../../content/text.ts'
import { type RichContent, readRichMessage } from '../../rich/read-rich-message.ts'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, isObject, jsonOf, type Params, textOf } from '../../wire/params.ts'
import { readMedia, type SendableKind } from './input-media.ts'
import type { Method, MethodDeps } from './method.ts'
import { readTarget, send } from './sending.ts'

export const TEXT_BYTES_MAX = 32_768
export const TEXT_CHARS_MAX = 4_096

/** What a call says about text, read but not yet cleaned. */
export interface GivenText {
  text: string
  entities: MessageEntity[]
  linkPreview: LinkPreviewOptions | undefined
}

export const sendMessage: Method = async (call, deps) => {
  const given = readMessageText(call.params)
  const target = readTarget(call.params, deps.world, 'text messages')
  const formatted = cleanNonEmpty(given)
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return send(call, deps, target, () => toTextContent(formatted, given.linkPreview))
}

export const sendRichMessage: Method = async (call, deps) => {
  const content = readRich(call.params, deps)
  return send(call, deps, readTarget(call.params, deps.world, 'the rich message'), () => content)
}

/** The methods that send one file differ in its kind alone. */
function sender(kind: SendableKind): Method {
  return (call, deps) => {
    const media = readMedia(call.params, kind, deps)
    const target = readTarget(call.params, deps.world, `${kind}s`)
    const prepared = media.prepare()
    return send(call, deps, target, () => prepared.load())
  }
}

export const sendPhoto = sender('photo')
export const sendVideo = sender('video')
export const sendDocument = sender('document')
export const sendAudio = sender('audio')

export function readMessageText(params: Params): GivenText {
  const linkPreview = readLinkPreview(params)
  const text = textOf(params, 'text')
  if (text === '') throw badRequest('message text is empty')
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) throw badRequest('text is too long')
  return { text, entities: readEntities(params, 'entities'), linkPreview }
}

/** Not bounded: a text that is too long is refused in other words when sent than when edited. */
export function cleanNonEmpty(given: FormattedText): FormattedText {
  const formatted = cleanText(given)
  if (formatted.text === '') throw badRequest('text must be non-empty')
  return formatted
}

export function toTextContent(
  { text, entities }: FormattedText,
  linkPreview: LinkPreviewOptions | undefined,
) {
  return { kind: 'text', text, entities, ...(linkPreview && { linkPreview }) } as const
}

function readLinkPreview(params: Params): LinkPreviewOptions | undefined {
  const complaint = "can't parse link preview options JSON object"
  const value = jsonOf(params, 'link_preview_options', complaint)
  if (value === undefined) {
    return boolOf(params, 'disable_web_page_preview') ? { is_disabled: true } : undefined
  }
  if (!isObject(value)) throw badRequest('object expected as link preview options')
  const { is_disabled, url } = value
  const options: LinkPreviewOptions = {}
  if (is_disabled === true) options.is_disabled = true
  if (typeof url === 'string') options.url = url
  return options
}

/** Reads the rich message of a call that sends or edits; only drafts may show that the bot thinks. */
export function readRich(params: Params, { unclosedHtml }: MethodDeps): RichContent {
  return readRichMessage(params, { unclosedHtml, isDraft: false })
}
