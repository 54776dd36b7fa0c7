import { isDeepStrictEqual } from 'node:util'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { checkMarkupInChat, inlineOf, readMarkup } from '../content/markup.ts'
import { readRichMessage } from '../content/parse-markdown.ts'
import { codePoints, TEXT_CHARS_MAX } from '../content/text.ts'
import type { Content, StoredChat, StoredMessage } from '../state.ts'
import { badRequest, type MethodAnswer } from '../wire/envelope.ts'
import { idOf, textOf } from '../wire/params.ts'
import { toMessage } from '../world/to-message.ts'
import { prepareMedia, readInputMedia } from './input-media.ts'
import type { Method, MethodCall, MethodDeps } from './method.ts'
import { cleanNonEmpty, readMessageText } from './send.ts'

const DELETABLE_S = 48 * 3600

/** Replaces text and keyboard: without `reply_markup` the keyboard goes. */
const editMessageText: Method = (call, deps) => {
  const { texts } = call.params
  if (texts.has('rich_message')) {
    if (texts.has('text')) throw badRequest('exactly one of text and rich_message is expected')
    const content = readRichMessage(call.params)
    return edit(call, deps, findEditable(call, deps, requireText), () => content)
  }
  const given = readMessageText(call.params)
  const target = findEditable(call, deps, requireText)
  const formatted = cleanNonEmpty(given)
  return edit(call, deps, target, () => {
    if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
    return formatted
  })
}

function requireText({ media }: Content): void {
  if (media) throw badRequest('there is no text in the message to edit')
}

const editMessageReplyMarkup: Method = (call, deps) => {
  const target = findEditable(call, deps)
  return edit(call, deps, target, () => target.message.content)
}

const editMessageMedia: Method = (call, deps) => {
  const media = readInputMedia(call.params)
  return edit(call, deps, findEditable(call, deps), prepareMedia(media, deps))
}

const deleteMessage: Method = ({ params }, { world }) => {
  const chatId = textOf(params, 'chat_id')
  const messageId = idOf(params, 'message_id')
  if (chatId === '') throw badRequest('chat identifier is not specified')
  const chat = world.accessChat(chatId, 'write')
  if (messageId === 0) throw badRequest('message identifier is not specified')
  const message = chat.messages.get(messageId)
  if (message === undefined) throw badRequest('message to delete not found')
  const isAllowed =
    message.from === 'bot' || chat.type === 'private' || chat.botStatus === 'administrator'
  if (!isAllowed) throw badRequest('MESSAGE_DELETE_FORBIDDEN')
  if (world.unixTime() - message.date > DELETABLE_S) {
    throw badRequest("message can't be deleted for everyone")
  }
  world.remove(message)
  return { result: true }
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
  const markup = readMarkup(params)
  const chatId = textOf(params, 'chat_id')
  const messageId = idOf(params, 'message_id')
  if (chatId === '' && messageId === 0) throw badRequest('message identifier is not specified')
  const chat = world.accessChat(chatId, 'edit')
  const message = chat.messages.get(messageId)
  if (message === undefined) throw badRequest('message to edit not found')
  const { from, content, replyMarkup } = message
  const isOpen = replyMarkup === undefined || inlineOf(replyMarkup) !== undefined
  if (from !== 'bot' || !isOpen || content.service) throw badRequest("message can't be edited")
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

/** File ids differ for one file. */
function comparable({ text, entities, rich, media }: Content): unknown {
  return [text, entities, rich?.blocks, rich?.isRtl, media?.kind, media?.file.uniqueId]
}

export const editMethods = {
  editMessageText,
  editMessageReplyMarkup,
  editMessageMedia,
  deleteMessage,
}
