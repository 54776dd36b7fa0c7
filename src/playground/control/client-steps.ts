import type { Message, MessageEntity, ReactionType } from 'grammy/types'
import { cleanText, TEXT_CHARS_MAX } from '../content/text.ts'
import type { StoredMessage } from '../world/message.ts'
import { originOf } from '../world/origin.ts'
import type { StoredChat } from '../world/world.ts'
import type { Membership } from './membership.ts'
import type { ControlDeps, People } from './people.ts'
import { splitText } from './split-text.ts'
import { createWriting } from './writing.ts'

/** About 250 messages: more at once would stop everything else meanwhile. */
const WRITTEN_CHARS_MAX = 1_000_000

/** A text that a person writes, of almost any length. */
export interface WrittenText {
  userId: number
  chatId: number
  text: string
  entities?: readonly MessageEntity[] | undefined
  threadId?: number | undefined
  replyToMessageId?: number | undefined
  quote?: string | undefined
}

export interface ClientStepsParts {
  people: Pick<People, 'userSends'>
  membership: Pick<Membership, 'unblocks'>
}

/** The steps of a person's client that are more than one plain message. A step that no client allows throws. */
export function createClientSteps(deps: ControlDeps, { people, membership }: ClientStepsParts) {
  const { world, queue, files } = deps
  const writing = createWriting(deps)
  return { userWrites, userStarts, userForwards, userReacts, userDeletesAll }

  /** Splits a long text into messages; the first one answers what is answered. */
  function userWrites({ text, entities = [], ...given }: WrittenText): Message[] {
    const { replyToMessageId, quote, ...thread } = given
    if (text.length > WRITTEN_CHARS_MAX) {
      throw new RangeError(`Cannot send: the text is longer than ${WRITTEN_CHARS_MAX} characters`)
    }
    // Before any is sent: a piece that turns out to be empty would stop those after it.
    const pieces = splitText({ text, entities: [...entities] }, TEXT_CHARS_MAX)
      .map(cleanText)
      .filter((piece) => piece.text !== '')
    if (pieces.length === 0) throw new Error('Cannot send: the text is empty')
    return pieces.map((piece, index) => {
      const answered = index === 0 ? { replyToMessageId, quote } : {}
      return people.userSends({ ...thread, ...answered, ...piece })
    })
  }

  /** Presses Start, also the one that takes a blocked bot back. */
  function userStarts({ userId, payload = '' }: { userId: number; payload?: string }): Message {
    if (!/^[A-Za-z0-9_-]{0,64}$/.test(payload)) {
      throw new Error('Cannot start: a payload has up to 64 of A-Z, a-z, 0-9, _ and -')
    }
    membership.unblocks(userId)
    return people.userSends({ userId, text: payload === '' ? '/start' : `/start ${payload}` })
  }

  /** Forwards messages in the order in which they were sent, as clients do. */
  function userForwards(given: {
    userId: number
    fromChatId: number
    messageIds: readonly number[]
    chatId: number
    threadId?: number | undefined
  }): Message[] {
    const { userId, chatId, threadId } = given
    const from = world.chatOf(given.fromChatId)
    const found = [...given.messageIds]
      .sort((a, b) => a - b)
      .map((messageId) => messageOf(from, messageId, 'forward'))
    if (found.some(({ content }) => content.service)) {
      throw new Error('Cannot forward: a service message is not forwarded')
    }
    if (found.some(({ isProtected }) => isProtected)) {
      throw new Error('Cannot forward: the message is protected')
    }
    const chat = writing.begin({ userId, chatId, threadId })
    return found.map((message) => {
      const { media, ...content } = message.content
      const shown = media && { media: files.show(media.kind, media.file, media) }
      const copy = world.append({
        chatId,
        userId,
        threadId,
        content: { ...content, ...shown },
        forwardOrigin: originOf(message, world),
      })
      return writing.deliver(copy, chat)
    })
  }

  /** Replaces the reaction that the person chose before; without a reaction it is removed. */
  function userReacts(given: {
    userId: number
    chatId: number
    messageId: number
    reaction?: ReactionType | undefined
  }): void {
    const { userId, chatId, messageId, reaction } = given
    const chat = world.chatOf(chatId)
    const message = messageOf(chat, messageId, 'react')
    if (message.content.service) throw new Error('Cannot react: it is a service message')
    const before = message.reactions.filter((one) => one.userId === userId)
    const chosen = reaction === undefined ? [] : [reaction]
    world.react(message, userId, chosen)
    if (chat.type !== 'private' && chat.botStatus !== 'administrator') return
    queue.enqueue({
      message_reaction: {
        chat: chat.shown,
        message_id: messageId,
        user: world.personOf(userId).user,
        date: world.unixTime(),
        old_reaction: before.map((one) => one.reaction),
        new_reaction: chosen,
      },
    })
  }

  /** Deletes all of the messages or none: the person's own, in a private chat any, and in a group they made any. */
  function userDeletesAll(given: {
    userId: number
    chatId: number
    messageIds: readonly number[]
  }): void {
    const chat = world.chatOf(given.chatId)
    const [creator] = chat.members
    const mayAll = chat.type === 'private' || creator === given.userId
    const found = given.messageIds.map((messageId) => messageOf(chat, messageId, 'delete'))
    const foreign = found.find((message) => !mayAll && message.userId !== given.userId)
    if (foreign) {
      throw new Error(`Cannot delete: message ${foreign.id} is not of user ${given.userId}`)
    }
    found.forEach(world.remove)
  }

  function messageOf(chat: StoredChat, messageId: number, step: string): StoredMessage {
    const message = chat.messages.get(messageId)
    if (message === undefined) throw new Error(`Cannot ${step}: no message ${messageId}`)
    return message
  }
}

export type ClientSteps = ReturnType<typeof createClientSteps>
