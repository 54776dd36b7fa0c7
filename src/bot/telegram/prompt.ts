import type { Message, RichBlock } from 'grammy/types'
import type { UnseenKind } from '../../platform/database/generated/enums.ts'
import { shorten } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import { type ChatThread, type Me, type Sender, threadOf, withoutMentions } from './addressing.ts'

const QUOTE_CHARS_MAX = 3000
const WORDS = ['summary', 'text', 'blocks', 'items', 'cells', 'expression', 'alternative_text']
/** Fields inside a line; every other field begins a new line. */
const INLINE = new Set(['text', 'expression', 'alternative_text'])

export interface Prompt extends ChatThread {
  messageId: number
  text: string
  sentAt: Date
  user: Sender
  unseen?: UnseenKind | undefined
  fileIds?: readonly string[]
}

/**
 * Makes a prompt of a text or caption, after the quoted message that it answers.
 *
 * In a group the asker's name replaces the bot's: the model would not know who speaks. The text is empty if there is
 * neither a quote nor a word except the bot's name.
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

/** Reads the marked part, otherwise all words, of the message that is answered; undefined if there are none. */
export function readQuote({ quote, reply_to_message: original }: Message): string | undefined {
  // In a topic every message is a reply to the message that opened it, which has no words.
  const text = (quote?.text ?? (original && readWords(original)) ?? '').trim()
  return text === '' ? undefined : shorten(text, QUOTE_CHARS_MAX)
}

function readWords({ text, caption, rich_message }: Omit<Message, 'reply_to_message'>): string {
  return text ?? caption ?? (rich_message ? toPlainText(rich_message.blocks) : '')
}

function toPlainText(blocks: readonly RichBlock[]): string {
  return wordsOf(blocks)
    .replace(/\n{2,}/g, '\n')
    .trim()
}

/** Rich messages are trees of many kinds of nodes, and new kinds come: all are read alike. */
function wordsOf(node: unknown, isInline = false): string {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) {
    return node.map((child) => wordsOf(child, isInline)).join(isInline ? '' : '\n')
  }
  if (typeof node !== 'object' || node === null) return ''
  const fields = node as Readonly<Record<string, unknown>>
  const words = WORDS.filter((name) => fields[name] !== undefined)
  return words.map((name) => wordsOf(fields[name], INLINE.has(name))).join('\n')
}
