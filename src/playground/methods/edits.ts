import { isDeepStrictEqual } from 'node:util'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { CAPTION, readFormatted } from '../content/formatted-text.ts'
import { checkMarkupInChat, inlineOf, readMarkup } from '../content/markup.ts'
import { codePoints, TEXT_CHARS_MAX } from '../content/text.ts'
import { badRequest, type MethodAnswer } from '../wire/envelope.ts'
import { boolOf, idOf, textOf } from '../wire/params.ts'
import type { FileKind } from '../world/files.ts'
import type { Content, StoredMessage } from '../world/message.ts'
import { toMessage } from '../world/to-message.ts'
import type { StoredChat } from '../world/world.ts'
import type { Method, MethodCall, MethodDeps } from './method.ts'
import { cleanCaption, prepareMedia, readInputMedia } from './sending/input-media.ts'
import { cleanNonEmpty, readMessageText } from './sending/message-text.ts'
import { prepareRich } from './sending/rich-media.ts'

const CAPTIONLESS_KINDS: readonly FileKind[] = ['video_note', 'sticker']
/** The kinds that an edit cannot replace. */
const FIXED_KINDS: readonly (FileKind | undefined)[] = ['voice', 'video_note', 'sticker']

/** Replaces the text of a message, keyboard included: without `reply_markup` the old one goes. */
const editMessageText: Method = (call, deps) => {
  const { texts } = call.params
  if (texts.has('rich_message')) {
    if (texts.has('text')) throw badRequest('exactly one of text and rich_message is expected')
    const makeContent = prepareRich(call.params, deps)
    return edit(call, deps, findEditable(call, deps, requireText), makeContent)
  }
  const given = readMessageText(call.params)
  const target = findEditable(call, deps, requireText)
  const formatted = cleanNonEmpty(given)
  return edit(call, deps, target, () => {
    if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
    return { ...formatted, linkPreview: given.linkPreview }
  })
}

/** A text can become rich and the other way round; media can become neither. */
function requireText({ media, card }: Content): void {
  if (media || card) throw badRequest('there is no text in the message to edit')
}

const editMessageReplyMarkup: Method = (call, deps) => {
  const target = findEditable(call, deps)
  return edit(call, deps, target, () => target.message.content)
}

/** Replaces the caption alone; without one, the old one goes. */
const editMessageCaption: Method = (call, deps) => {
  const given = readFormatted(call.params, CAPTION)
  const target = findEditable(call, deps, ({ media }) => {
    const hasNone = media === undefined || CAPTIONLESS_KINDS.includes(media.kind)
    if (hasNone) throw badRequest('there is no caption in the message to edit')
  })
  const caption = cleanCaption(given)
  const looks = boolOf(call.params, 'show_caption_above_media') && { isCaptionAbove: true }
  const { isCaptionAbove: _, ...before } = target.message.content
  return edit(call, deps, target, () => ({ ...before, ...caption, ...looks }))
}

/** Replaces a text or other media by media. */
const editMessageMedia: Method = (call, deps) => {
  const media = readInputMedia(call.params)
  const target = findEditable(call, deps, ({ media: before, card }) => {
    const isFixed = card !== undefined || FIXED_KINDS.includes(before?.kind)
    if (isFixed) throw badRequest("message media can't be edited")
  })
  return edit(call, deps, target, prepareMedia(media, deps))
}

interface EditTarget {
  chat: StoredChat
  message: StoredMessage
  markup: InlineKeyboardMarkup | undefined
}

/** @param check Refuses content that cannot be replaced in this way. */
function findEditable(
  { params }: MethodCall,
  { world }: MethodDeps,
  check: (content: Content) => void = () => {},
): EditTarget {
  const markup = readMarkup(params, world)
  const chatId = textOf(params, 'chat_id')
  const messageId = idOf(params, 'message_id')
  if (chatId === '' && messageId === 0) {
    // Inline mode is not built, so no inline message can be known.
    const isNamed = textOf(params, 'inline_message_id') !== ''
    throw badRequest(isNamed ? 'MESSAGE_ID_INVALID' : 'message identifier is not specified')
  }
  const chat = world.accessChat(chatId, 'edit')
  const message = chat.messages.get(messageId)
  if (message === undefined) throw badRequest('message to edit not found')
  const { from, content, replyMarkup, forwardOrigin } = message
  const isOpen = replyMarkup === undefined || inlineOf(replyMarkup) !== undefined
  const isOwn = from === 'bot' && forwardOrigin === undefined
  if (!isOwn || !isOpen || content.service) throw badRequest("message can't be edited")
  check(content)
  if (markup && !inlineOf(markup)) throw badRequest('inline keyboard expected')
  return { chat, message, markup: inlineOf(markup) }
}

async function edit(
  call: MethodCall,
  { world }: MethodDeps,
  { chat, message, markup }: EditTarget,
  makeContent: () => Content | Promise<Content>,
): Promise<MethodAnswer> {
  await call.passFloodControl('edit', chat)
  const content = await makeContent()
  checkMarkupInChat(markup, chat.type === 'private')
  // It may have been deleted while flood control held the edit.
  if (chat.messages.get(message.id) !== message) throw badRequest('message to edit not found')
  const isSame =
    isDeepStrictEqual(comparable(message.content), comparable(content)) &&
    isDeepStrictEqual(message.replyMarkup, markup)
  if (isSame) throw badRequest('MESSAGE_NOT_MODIFIED')
  world.edit(message, { content, replyMarkup: markup })
  return { result: toMessage(message, world) }
}

/** The content as a reader can distinguish it: file ids differ for one file. */
function comparable(content: Content): unknown {
  const { text, entities, rich, media, card, isCaptionAbove } = content

  return [
    text,
    entities,
    withoutFileIds(rich?.blocks),
    rich?.isRtl,
    media?.kind,
    media?.file.uniqueId,
    card,
    isCaptionAbove,
  ]
}

function withoutFileIds(blocks: unknown): string {
  return JSON.stringify(blocks ?? null, (name, value) => (name === 'file_id' ? undefined : value))
}

export const editMethods = {
  editMessageText,
  editMessageReplyMarkup,
  editMessageCaption,
  editMessageMedia,
}
