import type { Chat, LinkPreviewOptions, Message, MessageOrigin, TextQuote } from 'grammy/types'
import type { ReplyMarkup } from '../content/markup.ts'
import type { EntityText } from '../content/text.ts'
import type { RichContent } from '../rich/parse-markdown.ts'
import type { FileKind, MediaFile, StoredFile } from './files.ts'

/**
 * The content of a message. Its text is a caption where there is media, and of a rich message what
 * its reader sees without the looks.
 */
export interface Content extends EntityText {
  linkPreview?: LinkPreviewOptions | undefined
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
}

export interface StoredMessage extends MessageFacts {
  content: Content
}

/** A message as the reader of a chat sees it: with a text, or with media under the name of its kind. */
export interface PlaygroundMessage
  extends MessageFacts,
    Omit<Content, 'text' | 'media'>,
    Partial<Record<FileKind, StoredFile & MediaFile>> {
  text?: string
  caption?: string
}

export function toPlaygroundMessage({ content, ...facts }: StoredMessage): PlaygroundMessage {
  const { text, media, ...more } = content
  if (media === undefined) return { ...facts, ...more, text }
  return { ...facts, ...more, caption: text, [media.kind]: { ...media.file, ...media } }
}

/** A message on one line, for a person who wonders what happened. */
export function toLine({ id, from, editDate, content }: StoredMessage): string {
  const { text, media, service = {} } = content
  const edited = editDate === undefined ? '' : ' (edited)'
  const file = media ? `[${media.kind} ${media.file.size} bytes] ` : ''
  return `  #${id} ${from}${edited}: ${file}${text}${Object.keys(service).join()}`
}

/** Finds what is quoted of a message, which has to be there word for word. */
export function findQuote(message: StoredMessage | undefined, text: string): TextQuote | undefined {
  const position = message?.content.text.indexOf(text) ?? -1
  return position < 0 ? undefined : { text, position, is_manual: true }
}
