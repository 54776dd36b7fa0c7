import type { Message } from 'grammy/types'
import type { MethodDeps } from '../api/methods/method.ts'
import { memberOf } from '../world/members.ts'
import type { StoredMessage } from '../world/message.ts'
import { toMessage, toMessageUpdate } from '../world/to-message.ts'
import type { StoredChat } from '../world/world.ts'
import { reaches } from './privacy-mode.ts'

/** Who writes, and where. */
export interface WritingPlace {
  userId: number
  chatId: number
  threadId?: number | undefined
}

/** What every message of a person goes through, be it written or forwarded. */
export function createWriting({
  world,
  queue,
  clock,
}: Pick<MethodDeps, 'world' | 'queue' | 'clock'>) {
  return { begin, tell }

  /** Finds the chat. Who writes to the bot has met it. @throws If their client would not let them write there. */
  function begin({ userId, chatId, threadId }: WritingPlace): StoredChat {
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

  /** Tells the bot of a message, if it hears of such. */
  function tell(message: StoredMessage, chat: StoredChat): Message {
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
