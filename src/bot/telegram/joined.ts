import type { Message, MessageEntity, Update } from 'grammy/types'
import type { ChatThread } from './addressing.ts'
import { MESSAGE_CHARS_MAX } from './message.ts'

/** Telegram's clients cut a text at 4,096 characters, or a little before, between words. */
const CUT_CHARS_MIN = 4_000
/** The next part of a cut text arrives within this time. */
const NEXT_PART_MS = 1_000
/** Parts of a cut text come at once; a client may need a moment for many. */
const PARTS_S_MAX = 2
/** The pictures of an album come one right after the other, but not always in one batch. */
const ALBUM_MS = 500
/** A forward follows its comment, but seldom in the same batch: it may need one round trip to Telegram more. */
const FORWARD_MS = 200
/** A comment and its forwards carry the same second, or two successive ones. */
const FORWARD_S_MAX = 1
const PARTS_MAX = 21
/** A prompt waits no longer for its parts, however many come. */
const PARTS_MS_MAX = 5_000

type PartMessage = NonNullable<Update['message']>

export interface PromptPart {
  separator: string
  message: PartMessage
}

export type UpdateWithParts = Update & { parts?: readonly PromptPart[] }

interface ArrivedUpdate {
  update: UpdateWithParts
  arrivedMs: number
}

export function toThreadKey({ chatId, threadId }: ChatThread): string {
  return `${chatId} ${threadId}`
}

export function waitMsOf({ message }: Update): number {
  if (!mayBePart(message)) return 0
  if (message.media_group_id !== undefined) return ALBUM_MS
  if (message.text !== undefined && isCut(message.text)) return NEXT_PART_MS
  return isCommand(message) ? 0 : FORWARD_MS
}

export interface NextPrompt {
  /** Empty if the first update is no message. */
  parts: readonly PromptPart[]
  count: number
  /** How long it waits for more parts; not positive if it is complete. */
  waitMs: number
}

export function nextPrompt(
  waiting: readonly [ArrivedUpdate, ...ArrivedUpdate[]],
  nowMs: number,
): NextPrompt {
  const [first] = waiting
  if (first.update.parts !== undefined) return { parts: first.update.parts, count: 1, waitMs: 0 }
  const updates = waiting.map(({ update }) => update)
  const parts = findParts(updates)
  const count = Math.max(1, parts.length)
  const last = waiting[count - 1] ?? first
  const completeMs = last.arrivedMs + waitMsOf(last.update)
  const waitMs = Math.min(completeMs, first.arrivedMs + PARTS_MS_MAX) - nowMs
  const isComplete = count < waiting.length || count === PARTS_MAX
  const edits = updates.flatMap(({ edited_message: edited }) => edited ?? [])
  return { parts: replaceMessages(parts, edits), count, waitMs: isComplete ? 0 : waitMs }
}

/** Finds messages that were sent in one step: a text that the client cut, an album, a comment with its forwards. */
function findParts([first, ...next]: readonly Update[]): PromptPart[] {
  const message = first?.message
  if (message === undefined) return []
  const parts: PromptPart[] = [{ separator: '', message }]
  if (!mayBePart(message)) return parts
  let last = message
  for (const { message: part } of next.slice(0, PARTS_MAX - 1)) {
    if (!mayBePart(part)) break
    const separator = separatorOf({ first: message, last, part })
    if (separator === undefined) break
    parts.push({ separator, message: part })
    last = part
  }
  return parts
}

export function replaceMessages(
  parts: readonly PromptPart[],
  edits: readonly PartMessage[],
): PromptPart[] {
  const newest = new Map(edits.map((edit) => [edit.message_id, edit]))
  return parts.map(({ separator, message }) => ({
    separator,
    message: newest.get(message.message_id) ?? message,
  }))
}

/** Joins the parts of a prompt into the first message, with the words of all. */
export function joinParts([first, ...next]: readonly PromptPart[]): PartMessage | undefined {
  if (first === undefined || next.length === 0) return first?.message
  return { ...first.message, ...joinWords([first, ...next]) }
}

function separatorOf({ first, last, part }: Record<'first' | 'last' | 'part', PartMessage>) {
  if (part.from?.id !== first.from?.id) return undefined
  const isSameAlbum =
    part.media_group_id !== undefined && part.media_group_id === last.media_group_id
  if (isSameAlbum) return '\n\n'
  if (isCommand(part) || isReply(part)) return undefined
  if (isForward(part)) {
    const isAtOnce = part.date - first.date <= FORWARD_S_MAX
    return isAtOnce && !isCommand(first) ? '\n\n' : undefined
  }
  const { text: cut } = last
  const isNextPart =
    part.text !== undefined &&
    cut !== undefined &&
    isCut(cut) &&
    !isForward(last) &&
    part.date - last.date <= PARTS_S_MAX
  if (!isNextPart) return undefined
  // A text without a space is cut at exactly the limit. Elsewhere Telegram trims both ends of a cut,
  // so between two words nothing is left.
  return cut.length === MESSAGE_CHARS_MAX ? '' : '\n'
}

function joinWords(
  parts: readonly PromptPart[],
): Pick<PartMessage, 'text' | 'entities' | 'caption' | 'caption_entities'> {
  let text = ''
  const entities: MessageEntity[] = []
  for (const { separator, message } of parts) {
    const words = wordsOf(message)
    if (text !== '' && words !== '') text += separator
    for (const entity of message.entities ?? message.caption_entities ?? []) {
      // A forwarded command is quoted, even if it begins the prompt.
      if (entity.type === 'bot_command' && isForward(message)) continue
      entities.push({ ...entity, offset: entity.offset + text.length })
    }
    text += words
  }
  const isText = parts[0]?.message.text !== undefined
  if (isText) return { text, ...(entities.length > 0 && { entities }) }
  if (text === '') return {}
  return { caption: text, ...(entities.length > 0 && { caption_entities: entities }) }
}

/** Checks whether a message has words, or a file that words may go with. */
export function mayBePart(message: Update['message']): message is PartMessage {
  if (message === undefined) return false
  const { text, photo, document, video, animation, audio, voice } = message
  return [text, photo, document, video, animation, audio, voice].some((has) => has !== undefined)
}

function isForward({ forward_origin }: Pick<Message, 'forward_origin'>): boolean {
  return forward_origin !== undefined
}

/** In a topic every message answers the message that opened it, which does not count. */
function isReply({ reply_to_message: answered, message_thread_id: threadId }: Message): boolean {
  return answered !== undefined && answered.message_id !== threadId
}

function wordsOf({ text, caption = '' }: Pick<Message, 'text' | 'caption'>): string {
  return text ?? caption
}

function isCut(text: string): boolean {
  return text.length >= CUT_CHARS_MIN
}

/** A forward quotes another person's words, even if they begin with a slash. */
function isCommand(message: Message): boolean {
  return !isForward(message) && wordsOf(message).startsWith('/')
}
