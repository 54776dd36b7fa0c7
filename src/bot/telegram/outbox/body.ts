import type { MessageEntity } from 'grammy/types'

/** Longest text of a message in UTF-16 units. Telegram counts code points, so this is always safe. */
export const MESSAGE_CHARS_MAX = 4096

/** The content of a message: plain text with formatting beside it, or Markdown for a rich message. */
export type Body = TextBody | MarkdownBody

export interface TextBody {
  /** 1 to `MESSAGE_CHARS_MAX` characters once trimmed. */
  text: string
  /** Formatting, in UTF-16 units of the text as it is given. */
  entities?: MessageEntity[] | undefined
}

export interface MarkdownBody {
  /** Telegram's own Markdown, 1 to 32,768 characters once it is rendered. */
  markdown: string
  isRtl?: boolean | undefined
}

/** A body, or what is asked for the newest one when the call's turn comes. A string is plain text. */
export type BodySource = string | Body | (() => string | Body)

/** The chat, or the topic of it, that a new message goes to. */
export interface Destination {
  chatId: number
  threadId?: number | undefined
}

export function toBody(source: BodySource): Body {
  const body = typeof source === 'function' ? source() : source
  return typeof body === 'string' ? { text: body } : body
}
