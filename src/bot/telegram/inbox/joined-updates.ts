import type { Message, MessageEntity, Update } from 'grammy/types'
import { MESSAGE_CHARS_MAX } from '../outbox/body.ts'
import { isCommand, isCut } from './update-facts.ts'

/** Parts of a cut text come at once; a client may need a moment for many. */
const PARTS_S_MAX = 2
/** A comment and what it was sent with carry one second, or the turn of it lies between them. */
const FORWARD_S_MAX = 1

type TextMessage = NonNullable<Update['message']> & { text: string }

/** One of the messages that a prompt consists of. */
export interface PromptPart {
  /** What stands in front of it: nothing, where it is the first. */
  separator: string
  message: TextMessage
}

/** Several updates as one. */
export interface JoinedUpdates {
  /** The first one with the text of all. */
  update: Update
  /** What it holds, the first one included; several, or none. */
  parts: readonly PromptPart[]
}

/**
 * Joins what one person sent in one step: a long text that the client cut into several messages,
 * a comment and what was forwarded with it.
 *
 * @param next What follows in the same conversation, in order.
 */
export function joinUpdates(first: Update, next: readonly Update[]): JoinedUpdates {
  const alone = { update: first, parts: [] }
  const { message } = first
  if (!isText(message)) return alone
  let last = message
  const parts: PromptPart[] = [{ separator: '', message }]
  for (const { message: part } of next) {
    if (!isText(part)) break
    const separator = separatorOf({ first: message, last, part })
    if (separator === undefined) break
    parts.push({ separator, message: part })
    last = part
  }
  if (parts.length === 1) return alone
  return { update: { ...first, message: { ...message, ...joinTexts(parts) } }, parts }
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
  // A text without a space is cut at exactly the limit. Elsewhere Telegram trims both ends of a cut,
  // so between two words nothing is left.
  return last.text.length === MESSAGE_CHARS_MAX ? '' : '\n'
}

/** The text of all parts, every mark at its place. */
export function joinTexts(parts: readonly PromptPart[]): Pick<TextMessage, 'text' | 'entities'> {
  let text = ''
  const entities: MessageEntity[] = []
  for (const { separator, message } of parts) {
    text += separator
    for (const entity of message.entities ?? []) {
      entities.push({ ...entity, offset: entity.offset + text.length })
    }
    text += message.text
  }
  return { text, ...(entities.length > 0 && { entities }) }
}

function isText(message: Update['message']): message is TextMessage {
  return message?.text !== undefined
}

/** In a topic everything answers the message that opened it. */
function isReply({ reply_to_message: answered, message_thread_id: threadId }: Message): boolean {
  return answered !== undefined && answered.message_id !== threadId
}
