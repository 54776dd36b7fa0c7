import type { Chat, Message, MessageOrigin } from 'grammy/types'
import type { MethodDeps } from '../methods/method.ts'
import { findQuote, type StoredMessage } from '../world/message.ts'
import { toMessage } from '../world/to-message.ts'
import type { StoredChat } from '../world/world.ts'
import { asksForContact, buttonsOf } from './buttons-of.ts'
import { checkLength, type GivenContent, toContent, toFormatted } from './user-content.ts'
import { createWriting } from './writing.ts'

/** The prefix of the numbers that Telegram gives people who show none: they cannot be called. */
const NO_NUMBER = '888'

/** A message that a person sends, with its chat thread. */
export interface UserMessage extends GivenContent {
  /** The person who writes it, even where others do not see who it is. */
  userId: number
  /** The private chat with the bot by default. */
  chatId?: number
  replyToMessageId?: number | undefined
  /** The part of the answered message that is quoted. */
  quote?: string | undefined
  /** The topic; General without. */
  threadId?: number | undefined
  /** The author of a forwarded message: a user or the bot by id, a hidden user by name, or a channel. */
  forwardFrom?: number | string | Chat.ChannelChat
  /** The album that it is a part of: every part comes as a message of its own. */
  mediaGroupId?: string | undefined
  /** Written as the group itself by an administrator who stays anonymous, or as a channel. */
  as?: 'group' | Chat.ChannelChat
}

/** The parts that the steps of people change and notify. */
export type ControlDeps = Pick<
  MethodDeps,
  'world' | 'files' | 'queue' | 'callbackQueries' | 'clock'
>

/** The steps of people in their clients. A step that no client allows throws. */
export function createPeople(deps: ControlDeps) {
  const { world, queue, files, clock, callbackQueries } = deps
  const { personOf, chatOf } = world
  const writing = createWriting(deps)
  return { userSends, userSharesContact, userEdits, userDeletes, presses }

  function userSends(given: UserMessage): Message {
    const chat = writing.begin({ ...given, chatId: given.chatId ?? given.userId })
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
    return writing.deliver(message, chat)
  }

  /** Sends the contact that a button of a reply keyboard asks for, as an answer to the keyboard's message. */
  function userSharesContact(given: { userId: number; messageId: number }): Message {
    const { userId, messageId } = given
    const asking = chatOf(userId).messages.get(messageId)
    if (asking === undefined || !asksForContact(asking)) {
      throw new Error(`Cannot share contact: message ${messageId} has no button that asks for it`)
    }
    const { first_name, last_name } = personOf(userId).user
    const names = { first_name, ...(last_name !== undefined && { last_name }) }
    const contact = { phone_number: `${NO_NUMBER}${userId}`, ...names, user_id: userId }
    return userSends({ userId, contact, replyToMessageId: messageId })
  }

  function userEdits(given: { userId: number; chatId?: number; messageId: number; text: string }) {
    const chat = chatOf(given.chatId ?? given.userId)
    const message = chat.messages.get(given.messageId)
    if (message?.userId !== given.userId) {
      throw new Error(`Cannot edit: message ${given.messageId} is not of user ${given.userId}`)
    }
    if (!isEditable(message)) {
      throw new Error(`Cannot edit: message ${given.messageId} has no text of their own`)
    }
    const formatted = toFormatted(given.text)
    checkLength(formatted, message.content)
    world.edit(message, { content: { ...message.content, ...formatted } })
    return writing.deliver(message, chat)
  }

  /** Bots get no update of it. */
  function userDeletes({ chatId, messageId }: { chatId: number; messageId: number }): void {
    const message = chatOf(chatId).messages.get(messageId)
    if (message === undefined) throw new Error(`Cannot delete: no message ${messageId}`)
    world.remove(message)
  }

  /** @returns The id of the callback query. */
  function presses(given: {
    userId: number
    chatId?: number
    messageId: number
    data: string
  }): string {
    const person = personOf(given.userId)
    const chat = chatOf(given.chatId ?? given.userId)
    const { messageId, data } = given
    const message = chat.messages.get(messageId)
    if (message === undefined) throw new Error(`Cannot press: no message ${messageId}`)
    if (!buttonsOf(message).some((button) => button.callback_data === data)) {
      throw new Error(`Cannot press: message ${messageId} has no button "${data}"`)
    }
    chat.lastIncomingAt = clock.now()
    const id = callbackQueries.press({ userId: given.userId, chatId: chat.id, messageId })
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

  function quoteOf({ quote, replyToMessageId = 0 }: UserMessage, chat: StoredChat) {
    if (quote === undefined) return undefined
    const found = findQuote(chat.messages.get(replyToMessageId), quote)
    if (!found) throw new Error(`Cannot quote: message ${replyToMessageId} has no such text`)
    return found
  }

  function originOf({ forwardFrom: source }: UserMessage): MessageOrigin | undefined {
    const date = world.unixTime()
    if (source === undefined) return undefined
    if (typeof source === 'string') return { type: 'hidden_user', date, sender_user_name: source }
    if (typeof source === 'object') return { type: 'channel', date, chat: source, message_id: 1 }
    return { type: 'user', date, sender_user: world.userOf(source) }
  }

  function senderChatOf({ as }: UserMessage, chat: StoredChat): Chat | undefined {
    if (chat.type === 'channel') return chat.shown
    if (as === undefined) return undefined
    if (chat.type === 'private') throw new Error('Cannot send: a private chat has no other author')
    return as === 'group' ? chat.shown : as
  }
}

/** A forwarded message, a sticker, a contact and a service message cannot be edited. */
function isEditable({ content, forwardOrigin }: StoredMessage): boolean {
  const { service, card, media } = content
  const hasText = media?.kind !== 'sticker' && media?.kind !== 'video_note'
  return forwardOrigin === undefined && service === undefined && card === undefined && hasText
}

export type People = ReturnType<typeof createPeople>
