import type { Chat, Message, MessageEntity, MessageOrigin, UserFromGetMe } from 'grammy/types'
import { inlineOf } from '../content/markup.ts'
import { cleanText } from '../content/text.ts'
import type { MethodDeps } from '../methods/method.ts'
import type { StoredChat, StoredMessage } from '../state.ts'
import { findQuote } from '../world/message.ts'
import { toMessage, toMessageUpdate } from '../world/to-message.ts'
import type { Chats } from './chats.ts'
import {
  checkLength,
  type GivenContent,
  splitText,
  toContent,
  toFormatted,
} from './user-content.ts'

/** About 250 messages: more at once would block everything else. */
const WRITTEN_CHARS_MAX = 1_000_000

export interface UserMessage extends GivenContent {
  userId: number
  /** Default: the private chat with the bot. */
  chatId?: number
  replyToMessageId?: number | undefined
  quote?: string | undefined
  /** The topic; General without. */
  threadId?: number | undefined
  forwardFrom?: string
  mediaGroupId?: string | undefined
  as?: 'group' | Chat.ChannelChat
}

export interface WrittenText extends Pick<UserMessage, 'replyToMessageId' | 'quote' | 'threadId'> {
  userId: number
  chatId: number
  text: string
  entities?: readonly MessageEntity[] | undefined
}

type ControlDeps = Pick<MethodDeps, 'world' | 'files' | 'queue' | 'callbackQueries' | 'clock'>

export function createPeople(deps: ControlDeps, { unblocks }: Pick<Chats, 'unblocks'>) {
  const { world, queue, files, clock, callbackQueries } = deps
  const { personOf, chatOf } = world
  return { userSends, userWrites, userStarts, userEdits, userDeletes, userDeletesAll, presses }

  function userSends(given: UserMessage): Message {
    const chat = begin(given)
    const message = world.append({
      chatId: chat.id,
      userId: given.userId,
      content: toContent(given, files),
      replyToMessageId: given.replyToMessageId,
      threadId: given.threadId,
      mediaGroupId: given.mediaGroupId,
      quote: quoteOf(given, chat),
      forwardOrigin: originOf(given),
      senderChat: senderChatOf(given, chat),
    })
    return deliver(message, chat)
  }

  /** Splits a long text into messages; only the first one is a reply. */
  function userWrites({ text, entities = [], ...given }: WrittenText): Message[] {
    const { replyToMessageId, quote, ...thread } = given
    if (text.length > WRITTEN_CHARS_MAX) {
      throw new RangeError(`Cannot send: the text is longer than ${WRITTEN_CHARS_MAX} characters`)
    }
    // Before the first is sent: a piece that turns out to be empty would stop those after it.
    const pieces = splitText({ text, entities: [...entities] })
      .map(cleanText)
      .filter((piece) => piece.text !== '')
    if (pieces.length === 0) throw new Error('Cannot send: the text is empty')
    return pieces.map((piece, index) => {
      const answered = index === 0 ? { replyToMessageId, quote } : {}
      return userSends({ ...thread, ...answered, ...piece })
    })
  }

  function userStarts({ userId, payload = '' }: { userId: number; payload?: string }): Message {
    if (!/^[A-Za-z0-9_-]{0,64}$/.test(payload)) {
      throw new Error('Cannot start: a payload has up to 64 of A-Z, a-z, 0-9, _ and -')
    }
    unblocks(userId)
    return userSends({ userId, text: payload === '' ? '/start' : `/start ${payload}` })
  }

  function userEdits(given: { userId: number; chatId?: number; messageId: number; text: string }) {
    const chat = chatOf(given.chatId ?? given.userId)
    const message = chat.messages.get(given.messageId)
    if (message?.userId !== given.userId) {
      throw new Error(`Cannot edit: message ${given.messageId} is not of user ${given.userId}`)
    }
    const { content, forwardOrigin } = message
    if (forwardOrigin || content.service || content.media?.kind === 'sticker') {
      throw new Error(`Cannot edit: message ${given.messageId} has no text of their own`)
    }
    const formatted = toFormatted(given.text)
    checkLength(formatted, content)
    world.edit(message, { content: { ...content, ...formatted } })
    return deliver(message, chat)
  }

  /** Bots get no update. */
  function userDeletes({ chatId, messageId }: { chatId: number; messageId: number }): void {
    world.remove(messageOf(chatOf(chatId), messageId, 'delete'))
  }

  function userDeletesAll(given: {
    userId: number
    chatId: number
    messageIds: readonly number[]
  }): void {
    const chat = chatOf(given.chatId)
    const [creator] = chat.members
    const mayAll = chat.type === 'private' || creator === given.userId
    const found = given.messageIds.map((messageId) => messageOf(chat, messageId, 'delete'))
    const foreign = found.find((message) => !mayAll && message.userId !== given.userId)
    if (foreign) {
      throw new Error(`Cannot delete: message ${foreign.id} is not of user ${given.userId}`)
    }
    found.forEach(world.remove)
  }

  function presses(given: {
    userId: number
    chatId?: number
    messageId: number
    data: string
  }): string {
    const { userId, messageId, data } = given
    const person = personOf(userId)
    const chat = chatOf(given.chatId ?? userId)
    const message = messageOf(chat, messageId, 'press')
    const buttons = inlineOf(message.replyMarkup)?.inline_keyboard.flat() ?? []
    if (!buttons.some((button) => 'callback_data' in button && button.callback_data === data)) {
      throw new Error(`Cannot press: message ${messageId} has no button "${data}"`)
    }
    chat.lastIncomingAt = clock.date().getTime()
    const id = callbackQueries.press({ userId, chatId: chat.id, messageId })
    queue.enqueue({
      callback_query: {
        id,
        from: person.user,
        message: toMessage(message, world),
        chat_instance: String(chat.id),
        data,
      },
    })
    return id
  }

  /** Finds the chat of a new message. @throws If the person's client would not let them write there. */
  function begin({ userId, chatId = userId, threadId }: UserMessage): StoredChat {
    const person = personOf(userId)
    const chat = chatOf(chatId)
    if (chat.type === 'private' && person.blockedBot) {
      throw new Error(`Cannot send: user ${userId} blocked the bot`)
    }
    if (chat.migratedTo !== undefined) throw new Error(`Cannot send: chat ${chatId} moved`)
    if (threadId !== undefined && !chat.topics.has(threadId)) {
      throw new Error(`Cannot send: chat ${chatId} has no topic ${threadId}`)
    }
    if (chat.type === 'private') person.started = true
    chat.members.add(userId)
    chat.lastIncomingAt = clock.date().getTime()
    return chat
  }

  function deliver(message: StoredMessage, chat: StoredChat): Message {
    const shown = toMessage(message, world)
    if (reaches(shown, chat, world.me)) queue.enqueue(toMessageUpdate(shown))
    return shown
  }

  function messageOf(chat: StoredChat, messageId: number, step: string): StoredMessage {
    const message = chat.messages.get(messageId)
    if (message === undefined) throw new Error(`Cannot ${step}: no message ${messageId}`)
    return message
  }

  function quoteOf({ quote, replyToMessageId = 0 }: UserMessage, chat: StoredChat) {
    if (quote === undefined) return undefined
    const found = findQuote(chat.messages.get(replyToMessageId), quote)
    if (!found) throw new Error(`Cannot quote: message ${replyToMessageId} has no such text`)
    return found
  }

  function originOf({ forwardFrom }: UserMessage): MessageOrigin | undefined {
    if (forwardFrom === undefined) return undefined
    return { type: 'hidden_user', date: world.unixTime(), sender_user_name: forwardFrom }
  }

  function senderChatOf({ as }: UserMessage, chat: StoredChat): Chat | undefined {
    if (as === undefined) return undefined
    if (chat.type === 'private') throw new Error('Cannot send: a private chat has no other author')
    return as === 'group' ? chat.shown : as
  }
}

export type People = ReturnType<typeof createPeople>

/** Privacy mode: in a group only commands, mentions and replies to the bot reach it, unless it is an administrator. */
function reaches(message: Message, chat: StoredChat, me: UserFromGetMe): boolean {
  if (chat.type === 'private') return true
  if (chat.botStatus === 'kicked' || chat.botStatus === 'left') return false
  if (chat.botStatus === 'administrator') return true
  if (message.reply_to_message?.from?.id === me.id) return true
  const text = message.text ?? message.caption ?? ''
  const entities = message.entities ?? message.caption_entities ?? []
  return entities.some((entity) => isForBot(text, entity, me))
}

function isForBot(text: string, entity: MessageEntity, me: UserFromGetMe): boolean {
  const { type, offset, length } = entity
  if (type === 'text_mention') return entity.user.id === me.id
  const [name = '', addressee] = text.slice(offset, offset + length).split('@')
  const isOurs = addressee?.toLowerCase() === me.username.toLowerCase()
  if (type === 'bot_command') return isOurs || (addressee === undefined && name !== '')
  return type === 'mention' && isOurs
}
