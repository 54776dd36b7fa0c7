import type { Message, Update } from 'grammy/types'
import { isCommand, isCut } from './update-facts.ts'

/** Parts of a cut text come at once; a client may need a moment for many. */
const PARTS_S_MAX = 2
/** A comment and what it was sent with carry one second, or the turn of it lies between them. */
const FORWARD_S_MAX = 1
/** A text is cut at exactly this length where it has no space to be cut at. */
const TEXT_CHARS_MAX = 4_096

type TextMessage = NonNullable<Update['message']> & { text: string }

/** Several updates as one. */
export interface JoinedUpdates {
  /** The first one with the text of all. */
  update: Update
  /** How many of those behind the first it holds. */
  parts: number
}

/**
 * Joins what one person sent in one step: a long text that the client cut into several messages,
 * a comment and what was forwarded with it.
 *
 * @param next What follows in the same line, in order.
 */
export function joinUpdates(first: Update, next: readonly Update[]): JoinedUpdates {
  const { message } = first
  if (!isText(message)) return { update: first, parts: 0 }
  let joined = message
  let last = message
  let parts = 0
  for (const { message: part } of next) {
    if (!isText(part)) break
    const separator = separatorOf({ first: message, last, part })
    if (separator === undefined) break
    joined = append(joined, separator, part)
    last = part
    parts += 1
  }
  return { update: parts === 0 ? first : { ...first, message: joined }, parts }
}

/** What stands between two parts of one prompt; undefined where they are two prompts. */
function separatorOf({ first, last, part }: Record<'first' | 'last' | 'part', TextMessage>) {
  if (part.from?.id !== first.from?.id || isCommand(part.text) || isReply(part)) return undefined
  const isForward = part.forward_origin !== undefined
  if (isForward) {
    const isAtOnce = part.date - first.date <= FORWARD_S_MAX
    return isAtOnce && !isCommand(first.text) ? '\n\n' : undefined
  }
  const isNextPart =
    isCut(last.text) && last.forward_origin === undefined && part.date - last.date <= PARTS_S_MAX
  if (!isNextPart) return undefined
  // Telegram trims both ends of a cut, so between two words of the text nothing is left.
  return last.text.length === TEXT_CHARS_MAX ? '' : '\n'
}

function append(message: TextMessage, separator: string, part: TextMessage): TextMessage {
  const shift = message.text.length + separator.length
  const shifted = (part.entities ?? []).map((entity) => ({
    ...entity,
    offset: entity.offset + shift,
  }))
  const entities = [...(message.entities ?? []), ...shifted]
  const text = message.text + separator + part.text
  return { ...message, text, ...(entities.length > 0 && { entities }) }
}

function isText(message: Update['message']): message is TextMessage {
  return message?.text !== undefined
}

/** In a topic everything answers the message that opened it. */
function isReply({ reply_to_message: answered, message_thread_id: threadId }: Message): boolean {
  return answered !== undefined && answered.message_id !== threadId
}
