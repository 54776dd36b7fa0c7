import type {
  Chat,
  InlineKeyboardMarkup,
  LinkPreviewOptions,
  User,
  UserFromGetMe,
} from 'grammy/types'
import { badRequest, forbidden } from './envelope.ts'
import type { Media } from './files.ts'
import type { ReplyMarkup } from './markup.ts'
import type { RichContent } from './rich/read-rich-message.ts'
import type { FormattedText } from './text.ts'

const MESSAGES_PER_CHAT_MAX = 10_000

export interface Person {
  id: number
  firstName: string
  username?: string
  languageCode?: string
  /** Pressed Start once, so the bot may write first. */
  started: boolean
  blockedBot: boolean
  deactivated: boolean
}

export type BotStatus = 'member' | 'administrator' | 'left' | 'kicked'

export interface Room {
  id: number
  type: 'private' | 'group' | 'supergroup'
  title: string
  members: Set<number>
  botStatus: BotStatus
  migratedTo?: number
  /** Milliseconds since 1970; -Infinity before the first message from a person. */
  lastIncomingAt: number
  /** The last chat action and the instant it fades. */
  action?: { name: string; visibleUntil: number }
  messages: Map<number, StoredMessage>
}

export type Content =
  | ({ kind: 'text'; linkPreview?: LinkPreviewOptions } & FormattedText)
  | { kind: 'media'; media: Media; caption: FormattedText }
  | RichContent

export interface StoredMessage {
  id: number
  chatId: number
  from: 'bot' | Person
  /** Unix time in seconds. */
  date: number
  editDate?: number
  content: Content
  markup?: ReplyMarkup
  replyToMessageId?: number
}

export type NewMessage = Omit<StoredMessage, 'id'>

/** Everybody and everything the bot can meet: people, chats and their messages. */
export function createWorld({ me }: { me: UserFromGetMe }) {
  const { id, is_bot, first_name, username } = me
  const bot: User = { id, is_bot, first_name, username }
  const people = new Map<number, Person>()
  const rooms = new Map<number, Room>()
  /** Private chats and basic groups count together, as the bot's own mailbox does. */
  let mailboxId = 0
  const supergroupIds = new Map<number, number>()
  return { me, bot, people, rooms, personOf, roomOf, addRoom, roomFor, append, find, remove }

  /** For the people's side: a test that names a stranger is mistaken. */
  function personOf(userId: number): Person {
    const person = people.get(userId)
    if (person === undefined) throw new Error(`No user ${userId}: add it first`)
    return person
  }

  function roomOf(chatId: number): Room {
    const room = rooms.get(chatId)
    if (room === undefined) throw new Error(`No chat ${chatId}: add it first`)
    return room
  }

  function addRoom(
    room: Pick<Room, 'id' | 'type' | 'title'> & { members: Iterable<number> },
  ): Room {
    const added: Room = {
      ...room,
      members: new Set(room.members),
      botStatus: 'member',
      lastIncomingAt: Number.NEGATIVE_INFINITY,
      messages: new Map(),
    }
    rooms.set(room.id, added)
    return added
  }

  /**
   * Finds the chat a method names and checks that the bot may do there what it wants to.
   *
   * @param level What the method needs; a deactivated account can still be read.
   * @throws {ApiError} In the order of Telegram's own checks.
   */
  function roomFor(chatId: string, level: 'read' | 'edit' | 'write'): Room {
    if (chatId === '') throw badRequest('chat_id is empty')
    const room = rooms.get(Number(chatId))
    if (room === undefined) throw badRequest('chat not found')
    if (room.type === 'private') {
      const isDeactivated = people.get(room.id)?.deactivated ?? false
      if (isDeactivated && level !== 'read') throw forbidden('user is deactivated')
      return room
    }
    if (room.migratedTo !== undefined && level === 'write') {
      throw badRequest('group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: room.migratedTo,
      })
    }
    if (room.migratedTo !== undefined) throw forbidden('the group chat was deleted')
    if (room.botStatus === 'kicked') throw forbidden(`bot was kicked from the ${room.type} chat`)
    if (room.botStatus === 'left') throw forbidden(`bot is not a member of the ${room.type} chat`)
    return room
  }

  /** Stores a message under the next id of its counter. */
  function append(message: NewMessage): StoredMessage {
    const room = roomOf(message.chatId)
    const stored: StoredMessage = { ...message, id: nextId(room) }
    room.messages.set(stored.id, stored)
    if (room.messages.size > MESSAGES_PER_CHAT_MAX) {
      const [oldest] = room.messages.keys()
      if (oldest !== undefined) room.messages.delete(oldest)
    }
    return stored
  }

  function nextId(room: Room): number {
    if (room.type !== 'supergroup') return ++mailboxId
    const id = (supergroupIds.get(room.id) ?? 0) + 1
    supergroupIds.set(room.id, id)
    return id
  }

  /** Deleted messages are not found. */
  function find(chatId: number, messageId: number): StoredMessage | undefined {
    return rooms.get(chatId)?.messages.get(messageId)
  }

  function remove(message: StoredMessage): void {
    rooms.get(message.chatId)?.messages.delete(message.id)
  }
}

export type World = ReturnType<typeof createWorld>

export function toUser(person: Person): User {
  return {
    id: person.id,
    is_bot: false,
    first_name: person.firstName,
    ...(person.username !== undefined && { username: person.username }),
    ...(person.languageCode !== undefined && { language_code: person.languageCode }),
  }
}

export function toChat(
  room: Room,
  people: ReadonlyMap<number, Person>,
): Exclude<Chat, Chat.ChannelChat> {
  if (room.type !== 'private') return { id: room.id, type: room.type, title: room.title }
  return toPrivateChat(room, people)
}

export function toPrivateChat(room: Room, people: ReadonlyMap<number, Person>): Chat.PrivateChat {
  const person = people.get(room.id)
  return {
    id: room.id,
    type: 'private',
    first_name: person?.firstName ?? room.title,
    ...(person?.username !== undefined && { username: person.username }),
  }
}

/** The text or caption of a message as its reader sees it. */
export function formattedOf(content: Content): FormattedText {
  switch (content.kind) {
    case 'text':
      return content
    case 'media':
      return content.caption
    case 'rich':
      return { text: content.plainText, entities: [] }
  }
}

/** The keyboard under the message itself, which is the only one that a message shows to the bot. */
export function inlineMarkupOf(message: StoredMessage): InlineKeyboardMarkup | undefined {
  const { markup } = message
  return markup !== undefined && 'inline_keyboard' in markup ? markup : undefined
}
