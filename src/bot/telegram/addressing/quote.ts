import type { Message, RichBlock } from 'grammy/types'
import { shorten } from '../../locales/shorten.ts'

const QUOTE_CHARS_MAX = 3000
const WORDS = ['summary', 'text', 'blocks', 'items', 'cells', 'expression', 'alternative_text']
/** The fields that stand inside a line; every other one begins a new line. */
const INLINE = new Set(['text', 'expression', 'alternative_text'])

/**
 * The words that a message answers: the part that its user marked, otherwise the whole text or
 * caption of the older message. Undefined where there are none.
 */
export function readQuote({ quote, reply_to_message: original }: Message): string | undefined {
  // In a topic every message stands as a reply to the one that opened it, which has no words.
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
