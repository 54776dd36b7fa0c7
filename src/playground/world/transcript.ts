import type { MessageEntity } from 'grammy/types'
import type { ReplyMarkup } from '../content/markup.ts'
import type { RichContent } from '../rich/read-rich-message.ts'
import { MEDIA_KINDS, type Media, type MediaKind, type StoredFile } from './files.ts'
import { formattedOf, type ServiceFields, type StoredMessage } from './world.ts'

/** A file as the reader of a chat has it. */
type PlaygroundFile = StoredFile &
  Pick<Media, 'width' | 'height' | 'duration' | 'supportsStreaming'>

/** A message as the reader of a chat sees it. Dates are Unix time in seconds. */
export interface PlaygroundMessage extends Partial<Record<MediaKind, PlaygroundFile>> {
  id: number
  from: 'bot' | 'user'
  /** Who wrote it, unless it was the bot. */
  userId?: number
  /** Of a rich message, what its reader sees without the looks. */
  text?: string
  rich?: RichContent
  /** Of a message that only tells of something. */
  service?: ServiceFields
  caption?: string
  /** Of the text or caption. */
  entities: readonly MessageEntity[]
  replyMarkup?: ReplyMarkup
  replyToMessageId?: number
  /** The quoted part of the message that it answers. */
  quote?: string
  threadId?: number
  date: number
  editDate?: number
}

export function toPlaygroundMessage(message: StoredMessage): PlaygroundMessage {
  const { id, from, content, markup, replyToMessageId, date, editDate } = message
  const { text, entities } = formattedOf(content)
  return {
    id,
    from: from === 'bot' ? 'bot' : 'user',
    ...(from !== 'bot' && { userId: from.user.id }),
    ...((content.kind === 'text' || content.kind === 'rich') && { text }),
    ...(content.kind === 'service' && { service: content.fields }),
    ...(content.kind === 'rich' && { rich: content }),
    ...(content.kind === 'media' && { [content.media.kind]: toFile(content.media) }),
    ...(content.kind === 'media' && text && { caption: text }),
    entities,
    ...(markup && { replyMarkup: markup }),
    ...(replyToMessageId !== undefined && { replyToMessageId }),
    ...(message.quote && { quote: message.quote.text }),
    ...(message.threadId !== undefined && { threadId: message.threadId }),
    date,
    ...(editDate !== undefined && { editDate }),
  }
}

function toFile({ file, width, height, duration, supportsStreaming }: Media): PlaygroundFile {
  return { ...file, width, height, duration, supportsStreaming }
}

/** One line per message, for a person who wonders what happened. */
export function toLines(messages: readonly PlaygroundMessage[]): string[] {
  return messages.map((message) => {
    const media = MEDIA_KINDS.filter((kind) => message[kind] !== undefined).map(
      (kind) => `[${kind} ${message[kind]?.size} bytes] `,
    )
    const text = message.text ?? message.caption ?? Object.keys(message.service ?? {}).join()
    const edited = message.editDate === undefined ? '' : ' (edited)'
    return `#${message.id} ${message.from}${edited}: ${media.join('')}${text}`
  })
}
