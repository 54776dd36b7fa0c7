import { isJsonObject } from '../../platform/http/json.ts'
import { type ReplyMarkup, readMarkup } from '../content/markup.ts'
import type { StoredChat } from '../state.ts'
import { badRequest, forbidden } from '../wire/envelope.ts'
import { idOf, jsonOf, type Params, textOf } from '../wire/params.ts'
import { hasTopics, type World } from '../world/world.ts'

export interface Target {
  chat: StoredChat
  replyMarkup: ReplyMarkup | undefined
  replyToMessageId: number | undefined
  /** 0 outside of topics. */
  threadId: number
}

/**
 * Reads the parameters that all sending methods share, after their content was read.
 *
 * @param noun Names the content in a refusal, such as `text messages`.
 */
export function readTarget(params: Params, world: World, noun: string): Target {
  const reply = readReply(params)
  const replyMarkup = readMarkup(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'write')
  const threadId = readTopic(params, chat, world)
  const replied = reply && chat.messages.get(reply.messageId)
  if (reply && !replied && !reply.orWithout) throw badRequest('message to be replied not found')
  if (chat.botStatus === 'restricted') {
    throw badRequest(`not enough rights to send ${noun} to the chat`)
  }
  return { chat, replyMarkup, replyToMessageId: replied?.id, threadId }
}

/** Refuses messages to a person who blocked the bot or never pressed Start. */
export function checkRecipient(chat: StoredChat, world: World): void {
  const person = chat.type === 'private' ? world.people.get(chat.id) : undefined
  if (person?.blockedBot) throw forbidden('bot was blocked by the user')
  if (person?.started === false) throw forbidden("bot can't initiate conversation with a user")
}

/** Reads the topic, 0 for none. Ordinary groups ignore the parameter; General is named by its absence. */
export function readTopic(params: Params, chat: StoredChat, world: World): number {
  const threadId = idOf(params, 'message_thread_id')
  if (threadId === 0 || (chat.type !== 'private' && !chat.isForum)) return 0
  const isThere = hasTopics(chat, world) && chat.topics.has(threadId)
  if (!isThere) throw badRequest('message thread not found')
  return threadId
}

function readReply(params: Params): { messageId: number; orWithout: boolean } | undefined {
  const value = jsonOf(params, 'reply_parameters', "can't parse reply parameters JSON object")
  if (value === undefined) return undefined
  if (!isJsonObject(value)) throw badRequest('object expected as reply parameters')
  return {
    messageId: Number(value.message_id) || 0,
    orWithout: value.allow_sending_without_reply === true,
  }
}
