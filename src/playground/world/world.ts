import type { Chat, User, UserFromGetMe } from 'grammy/types'
import type { Clock } from '../../platform/time/clock.ts'
import type { BotStatus, Person, State, StoredChat, StoredMessage } from '../state.ts'
import type { Changes } from '../updates/changes.ts'
import { badRequest, forbidden } from '../wire/envelope.ts'

const MESSAGES_PER_CHAT_MAX = 10_000

export type NewMessage = Omit<StoredMessage, 'id' | 'date' | 'from'>

/** All that the bot can meet: people, chats and their messages. */
export function createWorld(deps: {
  me: UserFromGetMe
  idsFrom: number
  state: State
  clock: Clock
  changes: Changes
}) {
  const { me, idsFrom, state, clock, changes } = deps
  const { people, chats } = state
  const { id, is_bot, first_name, username } = me
  const bot: User = { id, is_bot, first_name, username }
  return {
    me,
    bot,
    people,
    chats,
    personOf,
    userOf: (userId: number) => (userId === id ? bot : personOf(userId).user),
    chatOf,
    addChat,
    accessChat,
    append,
    edit,
    remove,
    emitChat: (chatId: number) => changes.emit({ kind: 'chat', chatId }),
    emitPerson: (userId: number) => changes.emit({ kind: 'person', userId }),
    unixTime,
  }

  /** Finds a person for a step of theirs: a test that names a stranger is mistaken. */
  function personOf(userId: number): Person {
    const person = people.get(userId)
    if (person === undefined) throw new Error(`No user ${userId}: add it first`)
    return person
  }

  function chatOf(chatId: number): StoredChat {
    const chat = chats.get(chatId)
    if (chat === undefined) throw new Error(`No chat ${chatId}: add it first`)
    return chat
  }

  function addChat(
    shown: Chat,
    given: { members: Iterable<number>; botStatus?: BotStatus | undefined },
  ): StoredChat {
    const added: StoredChat = {
      id: shown.id,
      type: shown.type,
      shown,
      isForum: shown.is_forum ?? false,
      botStatus: given.botStatus ?? 'member',
      topics: new Map(),
      members: new Set(given.members),
      messages: new Map(),
    }
    chats.set(shown.id, added)
    return added
  }

  /**
   * Finds the chat a method names and checks that the bot may do there what it wants to.
   *
   * @param level The access that the method needs; a deactivated account can be read.
   * @throws {ApiError} In the order of Telegram's own checks.
   */
  function accessChat(chatId: string, level: 'read' | 'edit' | 'write'): StoredChat {
    if (chatId === '') throw badRequest('chat_id is empty')
    const chat = chats.get(Number(chatId)) ?? byUsername(chatId)
    if (chat === undefined) throw badRequest('chat not found')
    if (chat.type === 'private') {
      const isDeactivated = people.get(chat.id)?.deactivated ?? false
      if (isDeactivated && level !== 'read') throw forbidden('user is deactivated')
      return chat
    }
    if (chat.migratedTo !== undefined && level === 'write') {
      throw badRequest('group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: chat.migratedTo,
      })
    }
    if (chat.migratedTo !== undefined) throw forbidden('the group chat was deleted')
    if (chat.botStatus === 'kicked') throw forbidden(`bot was kicked from the ${chat.type} chat`)
    if (chat.botStatus === 'left') throw forbidden(`bot is not a member of the ${chat.type} chat`)
    return chat
  }

  /** Public chats have a name; a person's name does not lead to a chat. */
  function byUsername(chatId: string): StoredChat | undefined {
    if (!chatId.startsWith('@')) return undefined
    const name = chatId.slice(1).toLowerCase()
    return [...chats.values()].find(
      ({ type, shown }) => type !== 'private' && shown.username?.toLowerCase() === name,
    )
  }

  function append(message: NewMessage): StoredMessage {
    const chat = chatOf(message.chatId)
    const messageId = nextId(chat)
    const stored: StoredMessage = {
      ...message,
      from: message.userId === id ? 'bot' : 'user',
      threadId: message.threadId ?? threadOf(message, chat, messageId),
      id: messageId,
      date: unixTime(),
    }
    chat.messages.set(messageId, stored)
    if (chat.messages.size > MESSAGES_PER_CHAT_MAX) {
      const [oldest] = chat.messages.keys()
      if (oldest !== undefined) forget(chat, oldest)
    }
    changes.emit({ kind: 'sent', chatId: chat.id, messageId })
    return stored
  }

  function threadOf(message: NewMessage, chat: StoredChat, id: number): number | undefined {
    if (message.content.service?.forum_topic_created) return id
    const replied = chat.messages.get(message.replyToMessageId ?? 0)
    const isChain = chat.type === 'supergroup' && !chat.isForum
    return replied?.threadId ?? (isChain ? replied?.id : undefined)
  }

  function nextId(chat: StoredChat): number {
    if (chat.type === 'private' || chat.type === 'group') return ++state.mailboxId
    // The first id of a forum is that of General, which no message has here.
    chat.lastMessageId = (chat.lastMessageId ?? (chat.isForum ? idsFrom : idsFrom - 1)) + 1
    return chat.lastMessageId
  }

  function edit(message: StoredMessage, to: Pick<StoredMessage, 'content' | 'replyMarkup'>): void {
    Object.assign(message, to, { editDate: unixTime() })
    changes.emit({ kind: 'edited', chatId: message.chatId, messageId: message.id })
  }

  function remove({ chatId, id }: StoredMessage): void {
    forget(chatOf(chatId), id)
  }

  function forget(chat: StoredChat, messageId: number): void {
    chat.messages.delete(messageId)
    changes.emit({ kind: 'deleted', chatId: chat.id, messageId })
  }

  /** The date in whole seconds, the form of every date in the Bot API. */
  function unixTime(): number {
    return Math.floor(clock.date().getTime() / 1000)
  }
}

export type World = ReturnType<typeof createWorld>

/** Forums always have topics, private chats if the bot was made so. */
export function hasTopics({ type, isForum }: StoredChat, { me }: Pick<World, 'me'>): boolean {
  return isForum || (type === 'private' && me.has_topics_enabled)
}
