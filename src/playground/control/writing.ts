import type { Message, MessageEntity, UserFromGetMe } from 'grammy/types'
import type { MethodDeps } from '../methods/method.ts'
import { memberOf } from '../world/members.ts'
import type { StoredMessage } from '../world/message.ts'
import { toMessage, toMessageUpdate } from '../world/to-message.ts'
import type { StoredChat } from '../world/world.ts'

/** A person and the chat thread in which they write. */
export interface WritingThread {
  userId: number
  chatId: number
  threadId?: number | undefined
}

/** The two steps of every message of a person, written or forwarded. */
export function createWriting({
  world,
  queue,
  clock,
}: Pick<MethodDeps, 'world' | 'queue' | 'clock'>) {
  return { begin, deliver }

  /** Finds the chat and marks that the person writes in it. @throws If their client would not let them write there. */
  function begin({ userId, chatId, threadId }: WritingThread): StoredChat {
    const person = world.personOf(userId)
    const chat = world.chatOf(chatId)
    if (chat.type === 'private' && person.blockedBot) {
      throw new Error(`Cannot send: user ${userId} blocked the bot`)
    }
    if (chat.migratedTo !== undefined) throw new Error(`Cannot send: chat ${chatId} moved`)
    if (threadId !== undefined && !chat.topics.has(threadId)) {
      throw new Error(`Cannot send: chat ${chatId} has no topic ${threadId}`)
    }
    requireVoice(chat, userId, threadId)
    if (chat.type === 'private') person.started = true
    chat.members.add(userId)
    chat.lastIncomingAt = clock.now()
    return chat
  }

  /** Sends the bot an update of a message, if privacy mode lets it hear of it. */
  function deliver(message: StoredMessage, chat: StoredChat): Message {
    const shown = toMessage(message, world)
    if (reaches(shown, chat, world.me)) queue.enqueue(toMessageUpdate(shown))
    return shown
  }

  /** A banned or restricted person cannot write, and in a closed topic administrators alone can. */
  function requireVoice(chat: StoredChat, userId: number, threadId = 0): void {
    const member = memberOf(chat, userId, world)
    const { status } = member
    const isMute = status === 'restricted' && !member.can_send_messages
    const topic = threadId === 0 && chat.isForum ? chat.general : chat.topics.get(threadId)
    const isAdministrator = status === 'creator' || status === 'administrator'
    const isShut = topic?.isClosed && chat.isForum && !isAdministrator
    if (status === 'kicked' || isMute || isShut) {
      throw new Error(`Cannot send: user ${userId} may not write in chat ${chat.id}`)
    }
  }
}

/**
 * Checks whether the bot gets an update of a message.
 *
 * In a group it hears commands, mentions and answers to itself, unless it reads everything or is an
 * administrator.
 */
function reaches(message: Message, chat: StoredChat, me: UserFromGetMe): boolean {
  if (chat.type === 'private') return true
  if (chat.botStatus === 'kicked' || chat.botStatus === 'left') return false
  if (me.can_read_all_group_messages || chat.botStatus === 'administrator') return true
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
