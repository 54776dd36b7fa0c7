import type {
  Chat,
  InlineKeyboardMarkup,
  LinkPreviewOptions,
  Message,
  MessageOrigin,
  TextQuote,
  User,
  UserFromGetMe,
} from 'grammy/types'
import type { Clock } from '../../time/clock.ts'
import type { ReplyMarkup } from '../content/markup.ts'
import type { EntityText } from '../content/text.ts'
import type { RichContent } from '../rich/read-rich-message.ts'
import { badRequest, forbidden } from '../wire/envelope.ts'
import type { Media } from './files.ts'

const MESSAGES_PER_CHAT_MAX = 10_000

export interface Person {
  user: User
  /** Pressed Start once, so the bot may write first. */
  started: boolean
  blockedBot: boolean
  deactivated: boolean
}

/** A restricted bot reads and may not write. */
export type BotStatus = 'member' | 'administrator' | 'restricted' | 'left' | 'kicked'

export interface Topic {
  name: string
  isClosed: boolean
}

export interface StoredChat {
  id: number
  type: Chat['type']
  /** As messages show it. */
  shown: Chat
  isForum: boolean
  /** By the id of their thread. General is none of them. */
  topics: Map<number, Topic>
  members: Set<number>
  botStatus: BotStatus
  migratedTo?: number
  /** By the playground's clock; -Infinity before the first message from a person. */
  lastIncomingAt: number
  /** The last chat action and the instant it fades. */
  action?: { name: string; visibleUntil: number }
  messages: Map<number, StoredMessage>
}

export type Content =
  | ({ kind: 'text'; linkPreview?: LinkPreviewOptions } & EntityText)
  | { kind: 'media'; media: Media; caption: EntityText }
  | RichContent
  | { kind: 'service'; fields: ServiceFields }

/** What a service message tells of. */
export type ServiceFields = Pick<
  Message,
  | 'forum_topic_closed'
  | 'forum_topic_created'
  | 'migrate_from_chat_id'
  | 'migrate_to_chat_id'
  | 'new_chat_members'
>

export interface StoredMessage {
  id: number
  chatId: number
  /** Who wrote it, even where others do not see it. */
  from: 'bot' | Person
  /** The chat that shows as the author instead. */
  senderChat?: Chat
  /** Unix time in seconds. */
  date: number
  editDate?: number
  content: Content
  markup?: ReplyMarkup
  replyToMessageId?: number
  quote?: TextQuote
  /** The topic, or in a supergroup without topics the message that began a chain of answers. */
  threadId?: number
  forwardOrigin?: MessageOrigin
}

export type NewMessage = Omit<StoredMessage, 'id' | 'date'>

/** All that the bot can meet: people, chats and their messages. */
export function createWorld(deps: { me: UserFromGetMe; idsFrom: number; clock: Clock }) {
  const { me, idsFrom, clock } = deps
  const { id, is_bot, first_name, username } = me
  const bot: User = { id, is_bot, first_name, username }
  const people = new Map<number, Person>()
  const chats = new Map<number, StoredChat>()
  /** Private chats and basic groups count together, as the bot's own mailbox does. */
  let mailboxId = idsFrom - 1
  const supergroupIds = new Map<number, number>()
  return {
    me,
    bot,
    people,
    chats,
    personOf,
    chatOf,
    addChat,
    accessChat,
    append,
    find,
    remove,
    unixTime,
  }

  /** For the people's side: a test that names a stranger is mistaken. */
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
      lastIncomingAt: Number.NEGATIVE_INFINITY,
      messages: new Map(),
    }
    chats.set(shown.id, added)
    return added
  }

  /**
   * Finds the chat a method names and checks that the bot may do there what it wants to.
   *
   * @param level What the method needs; a deactivated account can still be read.
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
    if (chat.type === 'channel' && chat.botStatus !== 'administrator' && level !== 'read') {
      throw badRequest('need administrator rights in the channel chat')
    }
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

  /** Stores a message of this moment under the next id of its counter. */
  function append(message: NewMessage): StoredMessage {
    const chat = chatOf(message.chatId)
    const threadId = message.threadId ?? threadOf(message, chat)
    const stored: StoredMessage = {
      ...message,
      ...(threadId !== undefined && { threadId }),
      id: nextId(chat),
      date: unixTime(),
    }
    chat.messages.set(stored.id, stored)
    if (chat.messages.size > MESSAGES_PER_CHAT_MAX) {
      const [oldest] = chat.messages.keys()
      if (oldest !== undefined) chat.messages.delete(oldest)
    }
    return stored
  }

  /** An answer is where the message is that it answers. */
  function threadOf({ replyToMessageId = 0 }: NewMessage, chat: StoredChat): number | undefined {
    const replied = chat.messages.get(replyToMessageId)
    const isChain = chat.type === 'supergroup' && !chat.isForum
    return replied?.threadId ?? (isChain ? replied?.id : undefined)
  }

  function nextId(chat: StoredChat): number {
    if (chat.type === 'private' || chat.type === 'group') return ++mailboxId
    // The first id of a forum is that of General, which no message has here.
    const id = (supergroupIds.get(chat.id) ?? (chat.isForum ? idsFrom : idsFrom - 1)) + 1
    supergroupIds.set(chat.id, id)
    return id
  }

  /** Deleted messages are not found. */
  function find(chatId: number, messageId: number): StoredMessage | undefined {
    return chats.get(chatId)?.messages.get(messageId)
  }

  function remove(message: StoredMessage): void {
    chats.get(message.chatId)?.messages.delete(message.id)
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

/** The text or caption of a message as its reader sees it. */
export function formattedOf(content: Content): EntityText {
  switch (content.kind) {
    case 'text':
      return content
    case 'media':
      return content.caption
    case 'rich':
      return { text: content.plainText, entities: [] }
    case 'service':
      return { text: '', entities: [] }
  }
}

/** Finds what is quoted of a message, which has to be there word for word. */
export function findQuote(message: StoredMessage | undefined, text: string): TextQuote | undefined {
  const position = message ? formattedOf(message.content).text.indexOf(text) : -1
  return position < 0 ? undefined : { text, position, is_manual: true }
}

/** The keyboard under the message itself, which is the only one that a message shows to the bot. */
export function inlineMarkupOf(message: StoredMessage): InlineKeyboardMarkup | undefined {
  const { markup } = message
  return markup !== undefined && 'inline_keyboard' in markup ? markup : undefined
}
