import type {
  Chat,
  LinkPreviewOptions,
  Message,
  MessageOrigin,
  ReactionType,
  TextQuote,
} from 'grammy/types'
import type { ReplyMarkup } from '../content/markup.ts'
import type { EntityText } from '../content/text.ts'
import type { RichContent } from '../rich/read-rich-message.ts'
import type { FileKind, MediaFile, StoredFile } from './files.ts'

/**
 * The content of a message. Its text is a caption where there is media, and of a rich message what
 * its reader sees without the looks.
 */
export interface Content extends EntityText {
  linkPreview?: LinkPreviewOptions | undefined
  media?: MediaFile
  /** A card instead of text and media. */
  card?: Card
  hasSpoiler?: boolean
  /** The caption stands above the media. */
  isCaptionAbove?: boolean
  rich?: RichContent
  /** The change that a service message reports. */
  service?: ServiceFields
}

/** Exactly one of them, in the words of the Bot API; a venue brings its location along. */
export type Card = Pick<Message, 'contact' | 'dice' | 'location' | 'poll' | 'venue'>

/** The fields of service messages. */
export type ServiceFields = Pick<
  Message,
  | 'forum_topic_closed'
  | 'forum_topic_created'
  | 'forum_topic_edited'
  | 'forum_topic_reopened'
  | 'general_forum_topic_hidden'
  | 'general_forum_topic_unhidden'
  | 'left_chat_member'
  | 'migrate_from_chat_id'
  | 'migrate_to_chat_id'
  | 'new_chat_members'
  | 'new_chat_title'
  | 'pinned_message'
  | 'web_app_data'
>

/** Dates are Unix time in seconds. */
interface MessageFacts {
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
  /** Can be neither forwarded nor copied. */
  isProtected?: boolean
}

/** A reaction of one member of a chat, the bot included, to a message. */
export interface StoredReaction {
  userId: number
  reaction: ReactionType
}

export interface StoredMessage extends MessageFacts {
  content: Content
  /** The reactions in the order of choice. */
  reactions: StoredReaction[]
}

/** A message as the reader of a chat sees it: with a text, or with media under the name of its kind. */
export interface PlaygroundMessage
  extends MessageFacts,
    Omit<Content, 'text' | 'media'>,
    Partial<Record<FileKind, StoredFile & MediaFile>> {
  text?: string
  caption?: string
}

export function toPlaygroundMessage({
  content,
  reactions: _,
  ...facts
}: StoredMessage): PlaygroundMessage {
  const { text, media, ...more } = content
  if (media === undefined) return { ...facts, ...more, text }
  return { ...facts, ...more, caption: text, [media.kind]: { ...media.file, ...media } }
}

/** A message on one line, for a person who wonders what happened. */
export function toLine({ id, from, editDate, content }: StoredMessage): string {
  const { text, media, card = {}, service = {} } = content
  const edited = editDate === undefined ? '' : ' (edited)'
  const file = media ? `[${media.kind} ${media.file.size} bytes] ` : ''
  return `  #${id} ${from}${edited}: ${file}${text}${Object.keys({ ...card, ...service }).join()}`
}

/** Finds what is quoted of a message, which has to be there word for word. */
export function findQuote(message: StoredMessage | undefined, text: string): TextQuote | undefined {
  const position = message?.content.text.indexOf(text) ?? -1
  return position < 0 ? undefined : { text, position, is_manual: true }
}
