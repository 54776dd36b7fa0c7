import type { Message } from 'grammy/types'
import type { UnseenKind } from '../../../platform/database/generated/enums.ts'
import type { Texts } from '../../locales/texts.ts'
import { type Me, withoutMentions } from './address.ts'
import { type ChatThread, threadOf } from './chat-thread.ts'
import { readQuote } from './quote.ts'
import type { Sender } from './sender.ts'

/** A user's message that wants an answer. */
export interface Prompt extends ChatThread {
  messageId: number
  text: string
  sentAt: Date
  user: Sender
  unseen?: UnseenKind | undefined
  fileIds?: readonly string[]
}

/**
 * Makes a prompt of the words of a message, be it a text or the caption of a file.
 *
 * In a group the bot's own name is taken out, and the asker's stands in front: the model would not
 * know which of them speaks. What the message answers is quoted before it.
 *
 * @returns A prompt whose text is empty where there are no words but the bot's name. In reply to a
 *   message the name alone asks about that one.
 */
export function toPrompt(
  message: Message,
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

function questionOf(message: Message, { sender, me }: { sender: Sender; me: Me }): string {
  if (message.chat.type === 'private') return message.text ?? message.caption ?? ''
  const text = withoutMentions(message, me)
  const name = sender.firstName.replace(/\s+/g, ' ').trim()
  return text === '' || name === '' ? text : `${name}: ${text}`
}
