import type { TextQuote } from 'grammy/types'
import { checkMarkupInChat, type ReplyMarkup, readMarkup } from '../../content/markup.ts'
import { unixTime } from '../../wire/clock.ts'
import { type Answer, badRequest, forbidden } from '../../wire/envelope.ts'
import { boolOf, idOf, isObject, jsonOf, type Params, textOf } from '../../wire/params.ts'
import { toMessage } from '../../world/to-message.ts'
import {
  type Content,
  formattedOf,
  hasTopics,
  type Room,
  type StoredMessage,
  toChat,
  type World,
} from '../../world/world.ts'
import { type Call, type House, passFloodControl } from './method.ts'

/** Where a new message goes and what hangs on it. */
export interface Target {
  room: Room
  markup: ReplyMarkup | undefined
  replyToMessageId: number | undefined
  quote: TextQuote | undefined
  /** 0 outside of topics. */
  threadId: number
}

/**
 * Reads and checks what all sending methods share, after their content has been read.
 *
 * @param what The content in the words of a refusal, such as `text messages`.
 */
export function readTarget(params: Params, world: World, what: string): Target {
  const reply = readReply(params)
  const markup = readMarkup(params)
  const room = world.roomFor(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, room, world)
  const replied = findReplied(reply, room, world)
  const quote = replied && reply?.quote ? toQuote(replied, reply.quote) : undefined
  checkRights(room, threadId, what)
  return { room, markup, replyToMessageId: replied?.id, quote, threadId }
}

function checkRights(room: Room, threadId: number, what: string): void {
  if (room.botStatus === 'restricted') {
    throw badRequest(`not enough rights to send ${what} to the chat`)
  }
  const isClosed = room.topics.get(threadId)?.isClosed ?? false
  if (isClosed && room.botStatus !== 'administrator') throw badRequest('TOPIC_CLOSED')
}

/** Sends checked content: flood control, what only the server knows, then the message itself. */
export async function send(
  call: Call,
  house: House,
  target: Target,
  makeContent: () => Content | Promise<Content>,
): Promise<Answer> {
  const { world, changes, clock } = house
  const { room, markup, replyToMessageId, quote, threadId } = target
  const isChannel = room.type === 'channel'
  await passFloodControl('send', room, call, house)
  checkMarkupInChat(markup, room.type === 'private')
  checkRecipient(room, world)
  const content = await makeContent()
  const message = world.append({
    chatId: room.id,
    from: 'bot',
    date: unixTime(clock),
    content,
    ...(markup && { markup }),
    ...(replyToMessageId !== undefined && { replyToMessageId }),
    ...(quote && { quote }),
    ...(threadId !== 0 && { threadId }),
    ...(isChannel && { senderChat: toChat(room, world.people) }),
  })
  delete room.action
  house.drafts.clear(room.id, threadId)
  changes.emit({ kind: 'sent', chatId: room.id, messageId: message.id })
  return { result: toMessage(message, world) }
}

/** What the server says of a person who does not want to be written to. */
export function checkRecipient(room: Room, world: World): void {
  const person = room.type === 'private' ? world.people.get(room.id) : undefined
  if (person?.blockedBot) throw forbidden('bot was blocked by the user')
  if (person?.started === false) throw forbidden("bot can't initiate conversation with a user")
}

/** Ordinary groups pass over the parameter. General is named by leaving it out. */
export function readTopic(params: Params, room: Room, world: World): number {
  const threadId = idOf(params, 'message_thread_id')
  if (threadId === 0 || (room.type !== 'private' && !room.isForum)) return 0
  const isThere = hasTopics(room, world) && room.topics.has(threadId)
  if (!isThere) throw badRequest('message thread not found')
  return threadId
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
  if (!isObject(value)) throw badRequest('object expected as reply parameters')
  const { message_id, chat_id = '', allow_sending_without_reply, quote = '' } = value
  return {
    messageId: Number(message_id) || 0,
    chatId: String(chat_id),
    orWithout: allow_sending_without_reply === true,
    quote: String(quote),
  }
}

function findReplied(
  reply: Reply | undefined,
  room: Room,
  world: World,
): StoredMessage | undefined {
  if (reply === undefined) return undefined
  const isHere = reply.chatId === '' || Number(reply.chatId) === room.id
  const message = isHere ? world.find(room.id, reply.messageId) : undefined
  if (message === undefined) {
    if (reply.orWithout && isHere) return undefined
    throw badRequest('message to be replied not found')
  }
  return message
}

function toQuote({ content }: StoredMessage, text: string): TextQuote {
  const position = formattedOf(content).text.indexOf(text)
  if (position < 0) throw badRequest('QUOTE_TEXT_INVALID')
  return { text, position, is_manual: true }
}
