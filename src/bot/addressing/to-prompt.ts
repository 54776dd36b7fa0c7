import type { Message } from 'grammy/types'
import type { Texts } from '../locales/texts.ts'
import { type Me, withoutMentions } from './address.ts'
import { type ChatThread, threadOf } from './chat-thread.ts'
import { readQuote } from './quote.ts'
import type { Sender } from './sender.ts'

/** A user's message that wants an answer. */
export interface Prompt extends ChatThread {
  messageId: number
  /** As the model will read it. */
  text: string
  sentAt: Date
  user: Sender
}

/**
 * Makes a prompt of a text message.
 *
 * In a group the bot's own name is taken out, and the asker's stands in front: the model would not
 * know the voices apart. What the message answers is quoted before it.
 *
 * @returns A prompt whose text is empty where there is nothing but the bot's name. In reply to a
 *   message the name alone asks about that one.
 */
export function toPrompt(
  message: Message & { text: string },
  { sender, me, texts }: { sender: Sender; me: Me; texts: Texts },
): Prompt {
  const asked = { ...threadOf(message), messageId: message.message_id, user: sender }
  const text = questionOf(message, { sender, me })
  const quote = readQuote(message)
  const quoted = quote?.split('\n').map((line) => `> ${line}`.trimEnd()) ?? []
  const lead =
    quoted.length > 0 ? [texts.t(sender.languageCode, 'prompt-in-reply'), ...quoted, ''] : []
  return {
    ...asked,
    sentAt: new Date(message.date * 1000),
    text: [...lead, text].join('\n').trimEnd(),
  }
}

function questionOf(
  message: Message & { text: string },
  { sender, me }: { sender: Sender; me: Me },
): string {
  if (message.chat.type === 'private') return message.text
  const text = withoutMentions(message, me)
  const name = sender.firstName.replace(/\s+/g, ' ').trim()
  return text === '' || name === '' ? text : `${name}: ${text}`
}
