import type {
  BotCommand,
  BotCommandScope,
  Chat,
  MenuButton,
  Message,
  MessageOrigin,
  TextQuote,
  Update,
  User,
} from 'grammy/types'
import type { ImageSize } from '../platform/http/media-type.ts'
import type { ReplyMarkup } from './content/markup.ts'
import type { RichContent } from './content/parse-markdown.ts'
import type { EntityText } from './content/text.ts'

/**
 * Everything that a playground keeps over a restart. It is plain data, so that the store can write it whole. Instants
 * are Unix time in milliseconds; dates of messages are in seconds, as in the Bot API.
 */
export interface State {
  version: number
  /** Empty if BOT_TOKEN is given: the token of a real bot is not written down. */
  token: string
  /** The last id of private chats and basic groups, which count together, as the bot's own mailbox does. */
  mailboxId: number
  queryCount: number
  nextUpdateId: number
  /** Undefined for Telegram's default. */
  allowedUpdates?: readonly UpdateKind[] | undefined
  waiting: WaitingUpdate[]
  webhook?: WebhookSettings | undefined
  /** By scope and language. */
  commandLists: Map<string, CommandList>
  /** By user; the default button is under 0. */
  menuButtons: Map<number, MenuButton>
  /** The bot's name and descriptions, by field and language. */
  profile: Map<string, string>
  people: Map<number, Person>
  chats: Map<number, StoredChat>
  /** By file id; several ids may lead to one file. */
  files: Map<string, StoredFile>
}

export const STATE_VERSION = 2

const UPDATE_IDS_FROM = 410_000_000

/** @param idsFrom First id of messages and updates. */
export function newState(token: string, idsFrom: number): State {
  return {
    version: STATE_VERSION,
    token,
    mailboxId: idsFrom - 1,
    queryCount: 0,
    nextUpdateId: UPDATE_IDS_FROM + idsFrom,
    waiting: [],
    commandLists: new Map(),
    menuButtons: new Map(),
    profile: new Map(),
    people: new Map(),
    chats: new Map(),
    files: new Map(),
  }
}

export interface Person {
  user: User
  /** Pressed Start once, so the bot may write first. */
  started: boolean
  blockedBot: boolean
  deactivated: boolean
}

/** A restricted bot reads and may not write. */
export type BotStatus = 'member' | 'administrator' | 'restricted' | 'left' | 'kicked'

export interface StoredChat {
  id: number
  type: Chat['type']
  /** The chat as messages show it. */
  shown: Chat
  isForum: boolean
  /** Topics by the id of their thread, without General. */
  topics: Map<number, { name: string }>
  /** The first of them is the owner. */
  members: Set<number>
  botStatus: BotStatus
  migratedTo?: number
  /** The last id given to a message of its own counter. */
  lastMessageId?: number
  /** The time of the last message from a person. */
  lastIncomingAt?: number
  /** The last chat action and the instant it fades. */
  action?: { name: string; threadId: number; visibleUntil: number }
  /** The messages without the deleted ones. */
  messages: Map<number, StoredMessage>
}

export interface StoredMessage extends MessageFacts {
  content: Content
}

/** Dates are Unix time in seconds. */
export interface MessageFacts {
  id: number
  chatId: number
  from: 'bot' | 'user'
  /** The user who wrote it, even where others do not see who it is. */
  userId: number
  /** The chat that shows as the author instead. */
  senderChat?: Chat | undefined
  date: number
  editDate?: number
  replyMarkup?: ReplyMarkup | undefined
  replyToMessageId?: number | undefined
  /** The quoted part of the message that it answers. */
  quote?: TextQuote | undefined
  /** The topic, or in a supergroup without topics the message that began a chain of answers. */
  threadId?: number | undefined
  forwardOrigin?: MessageOrigin | undefined
  /** The id of the album that it belongs to. */
  mediaGroupId?: string | undefined
}

/** The content of a message. Its text is a caption beside media, and of a rich message its plain text. */
export interface Content extends EntityText {
  media?: MediaFile
  rich?: RichContent
  /** The change that a service message reports. */
  service?: ServiceFields
}

/** The fields of service messages. */
export type ServiceFields = Pick<
  Message,
  | 'forum_topic_created'
  | 'forum_topic_edited'
  | 'migrate_from_chat_id'
  | 'migrate_to_chat_id'
  | 'new_chat_members'
>

export const FILE_KINDS = ['photo', 'video', 'document', 'audio', 'voice', 'sticker'] as const

export type FileKind = (typeof FILE_KINDS)[number]

/** A file that Telegram keeps. Its bytes are in the file store, under its unique id. */
export interface StoredFile {
  uniqueId: string
  kind: FileKind
  fileName: string
  mime: string
  size: number
  /** The size of a picture. */
  picture?: ImageSize | undefined
}

/** The facts that its sender gives about a file. */
export interface MediaFacts {
  width: number
  height: number
  duration: number
  supportsStreaming: boolean
  /** The title of an audio, the emoji of a sticker. */
  extra: { title?: string; emoji?: string }
}

/** A file as one message shows it. */
export interface MediaFile extends MediaFacts {
  kind: FileKind
  file: StoredFile
  fileId: string
}

export type UpdateContent = Omit<Update, 'update_id'>
export type UpdateKind = keyof UpdateContent

/** An update that is kept until that instant. */
export interface WaitingUpdate {
  update: Update
  expiresAt: number
}

/** The address and manner of delivery, as `setWebhook` gives them. */
export interface WebhookSettings {
  url: string
  /** Empty if none is sent. */
  secretToken: string
  maxConnections: number
}

/** The commands of one scope and language; lists are never merged. */
export interface CommandList {
  scope: BotCommandScope
  /** Empty for people of every language. */
  languageCode: string
  commands: BotCommand[]
}
