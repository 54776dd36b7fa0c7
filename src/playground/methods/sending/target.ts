import type { TextQuote } from 'grammy/types'
import { isJsonObject } from '../../../platform/http/json.ts'
import { readFormatted, type TextParams } from '../../content/formatted-text.ts'
import { type ReplyMarkup, readMarkup } from '../../content/markup.ts'
import { badRequest, forbidden } from '../../wire/envelope.ts'
import { boolOf, idOf, jsonOf, type Params, textOf, toTexts } from '../../wire/params.ts'
import { findQuote, type StoredMessage } from '../../world/message.ts'
import { hasTopics, type StoredChat, type World } from '../../world/world.ts'

/** The chat thread of a new message, and its settings. */
export interface Target {
  chat: StoredChat
  replyMarkup: ReplyMarkup | undefined
  replyToMessageId: number | undefined
  quote: TextQuote | undefined
  /** 0 outside of topics. */
  threadId: number
  isProtected: boolean
}

/**
 * Reads and checks what all sending methods share, after their content has been read.
 *
 * @param what The content in the words of a refusal, such as `text messages`.
 */
export function readTarget(params: Params, world: World, what: string): Target {
  const reply = readReply(params)
  const replyMarkup = readMarkup(params, world)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, chat, world)
  const replied = findReplied(reply, chat)
  const quote = replied && reply?.quote ? findQuote(replied, reply.quote) : undefined
  if (replied && reply?.quote && !quote) throw badRequest('QUOTE_TEXT_INVALID')
  checkRights(chat, threadId || (replied?.threadId ?? 0), what)
  const isProtected = boolOf(params, 'protect_content')
  return { chat, replyMarkup, replyToMessageId: replied?.id, quote, threadId, isProtected }
}

/** @param threadId 0 for General. @throws {ApiError} If the bot may not send such a thing there. */
function checkRights(chat: StoredChat, threadId: number, what: string): void {
  if (chat.botStatus === 'restricted') {
    throw badRequest(`not enough rights to send ${what} to the chat`)
  }
  const topic = threadId === 0 && chat.isForum ? chat.general : chat.topics.get(threadId)
  if (topic?.isClosed && chat.botStatus !== 'administrator') throw badRequest('TOPIC_CLOSED')
}

/** Refuses as the server does for a person who does not want to be written to. */
export function checkRecipient(chat: StoredChat, world: World): void {
  const person = chat.type === 'private' ? world.people.get(chat.id) : undefined
  if (person?.blockedBot) throw forbidden('bot was blocked by the user')
  if (person?.started === false) throw forbidden("bot can't initiate conversation with a user")
}

/** Ordinary groups pass over the parameter. General is named by leaving it out. */
export function readTopic(params: Params, chat: StoredChat, world: World): number {
  const threadId = idOf(params, 'message_thread_id')
  if (threadId === 0 || (chat.type !== 'private' && !chat.isForum)) return 0
  const isThere = hasTopics(chat, world) && chat.topics.has(threadId)
  if (!isThere) throw badRequest('message thread not found')
  return threadId
}

const QUOTE: TextParams = {
  text: 'quote',
  entities: 'quote_entities',
  parseMode: 'quote_parse_mode',
}

interface Reply {
  messageId: number
  chatId: string
  orWithout: boolean
  quote: string
}

function readReply(params: Params): Reply | undefined {
  const complaint = "can't parse reply parameters JSON object"
  const value = jsonOf(params, 'reply_parameters', complaint)
  if (value === undefined) {
    const messageId = idOf(params, 'reply_to_message_id')
    const orWithout = boolOf(params, 'allow_sending_without_reply')
    return messageId === 0 ? undefined : { messageId, chatId: '', orWithout, quote: '' }
  }
  if (!isJsonObject(value)) throw badRequest('object expected as reply parameters')
  const { message_id, chat_id = '', allow_sending_without_reply } = value
  const quote = readFormatted({ texts: toTexts(value), uploads: new Map() }, QUOTE)
  return {
    messageId: Number(message_id) || 0,
    chatId: String(chat_id),
    orWithout: allow_sending_without_reply === true,
    quote: quote.text,
  }
}

function findReplied(reply: Reply | undefined, chat: StoredChat): StoredMessage | undefined {
  if (reply === undefined) return undefined
  const isHere = reply.chatId === '' || Number(reply.chatId) === chat.id
  const message = isHere ? chat.messages.get(reply.messageId) : undefined
  if (message === undefined) {
    if (reply.orWithout && isHere) return undefined
    throw badRequest('message to be replied not found')
  }
  return message
}
