import { isDeepStrictEqual } from 'node:util'
import {
  checkMarkupInChat,
  isInline,
  type ReplyMarkup,
  readInlineMarkup,
  readMarkup,
} from '../../content/markup.ts'
import { codePoints } from '../../content/text.ts'
import { badRequest, type MethodAnswer } from '../../wire/envelope.ts'
import { idOf, textOf } from '../../wire/params.ts'
import { toMessage } from '../../world/to-message.ts'
import {
  type Content,
  inlineMarkupOf,
  type StoredChat,
  type StoredMessage,
} from '../../world/world.ts'
import { readInputMedia } from './input-media.ts'
import { type Method, type MethodCall, type MethodDeps, passFloodControl } from './method.ts'
import {
  cleanNonEmpty,
  readMessageText,
  readRich,
  TEXT_CHARS_MAX,
  toTextContent,
} from './send-messages.ts'

/** Replaces the text of a message, keyboard included: without `reply_markup` the old one goes. */
export const editMessageText: Method = async (call, deps) => {
  if (call.params.texts.has('rich_message')) return editToRich(call, deps)
  const given = readMessageText(call.params)
  const edit = findEditableText(call, deps)
  const markup = readInlineMarkup(edit.markup)
  const formatted = cleanNonEmpty(given)
  await passFloodControl('edit', edit.chat, call, deps)
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
  return store(edit, markup, toTextContent(formatted, given.linkPreview), deps)
}

async function editToRich(call: MethodCall, deps: MethodDeps): Promise<MethodAnswer> {
  if (call.params.texts.has('text')) {
    throw badRequest('exactly one of text and rich_message is expected')
  }
  const content = readRich(call.params, deps)
  const edit = findEditableText(call, deps)
  const markup = readInlineMarkup(edit.markup)
  await passFloodControl('edit', edit.chat, call, deps)
  return store(edit, markup, content, deps)
}

export const editMessageReplyMarkup: Method = async (call, deps) => {
  const edit = findEditable(call, deps)
  const markup = readInlineMarkup(edit.markup)
  await passFloodControl('edit', edit.chat, call, deps)
  return store(edit, markup, edit.message.content, deps)
}

/** Puts media in the place of a text or of other media. */
export const editMessageMedia: Method = async (call, deps) => {
  const input = readInputMedia(call.params, deps)
  const edit = findEditable(call, deps)
  const { content } = edit.message
  if (content.kind === 'media' && ['voice', 'sticker'].includes(content.media.kind)) {
    throw badRequest("message media can't be edited")
  }
  const markup = readInlineMarkup(edit.markup)
  const prepared = input.prepare()
  await passFloodControl('edit', edit.chat, call, deps)
  return store(edit, markup, await prepared.load(), deps)
}

interface Edit {
  chat: StoredChat
  message: StoredMessage
  markup: ReplyMarkup | undefined
}

/** A text can become rich and the other way round; media can become neither. */
function findEditableText(call: MethodCall, deps: MethodDeps): Edit {
  const edit = findEditable(call, deps)
  if (edit.message.content.kind === 'media') {
    throw badRequest('there is no text in the message to edit')
  }
  return edit
}

function findEditable({ params }: MethodCall, { world }: MethodDeps): Edit {
  const markup = readMarkup(params)
  const chatId = textOf(params, 'chat_id')
  const messageId = idOf(params, 'message_id')
  if (chatId === '' && messageId === 0) {
    // Inline mode is not built, so no inline message can be known.
    const isNamed = textOf(params, 'inline_message_id') !== ''
    throw badRequest(isNamed ? 'MESSAGE_ID_INVALID' : 'message identifier is not specified')
  }
  const chat = world.accessChat(chatId, 'edit')
  const message = world.find(chat.id, messageId)
  if (message === undefined) throw badRequest('message to edit not found')
  const isOpen = message.markup === undefined || isInline(message.markup)
  const isService = message.content.kind === 'service'
  if (message.from !== 'bot' || !isOpen || isService) throw badRequest("message can't be edited")
  return { chat, message, markup }
}

function store(
  { chat, message }: Edit,
  markup: ReplyMarkup | undefined,
  content: Content,
  { world, changes }: MethodDeps,
): MethodAnswer {
  checkMarkupInChat(markup, chat.type === 'private')
  // It may have been deleted while flood control held the edit.
  if (world.find(chat.id, message.id) !== message) throw badRequest('message to edit not found')
  const isSame =
    isDeepStrictEqual(comparable(message.content), comparable(content)) &&
    isDeepStrictEqual(inlineMarkupOf(message), markup)
  if (isSame) throw badRequest('MESSAGE_NOT_MODIFIED')
  message.content = content
  message.editDate = world.unixTime()
  if (markup) message.markup = markup
  else delete message.markup
  changes.emit({ kind: 'edited', chatId: chat.id, messageId: message.id })
  return { result: toMessage(message, world) }
}

/** What a reader can tell apart: file ids differ for one file. */
function comparable(content: Content): unknown {
  if (content.kind === 'text') return [content.text, content.entities]
  if (content.kind === 'rich') return [content.blocks, content.isRtl]
  if (content.kind === 'service') return content.fields
  return [content.media.kind, content.media.file.uniqueId, content.caption]
}
