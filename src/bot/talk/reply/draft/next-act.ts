import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Body } from '../../../telegram/message.ts'
import { isSameBody } from './bodies.ts'
import type { ReplyPart, ReplyText } from './lay-out-reply.ts'

/** The state that a draft brings its chat to. */
export interface DraftGoal {
  reply: ReplyText
  keyboard: InlineKeyboardMarkup | undefined
  isWhole: boolean
  /** The words where the reply will begin. Undefined once it is not known whether the chat shows them. */
  announcement: string | undefined
}

/** One message of a reply. */
export interface DraftMessage {
  id?: number
  body?: Body
  keyboard?: InlineKeyboardMarkup | undefined
  skipped?: Body
  unknownSends: number
  isMaybeDouble?: boolean
}

/** How often a message that may be in the chat is sent again before the text is whole. */
const REPEATS_MAX = 1

/** The part that one message is to show. */
export interface DraftPart extends ReplyPart {
  isAnnouncement?: boolean
}

export interface DraftState {
  goal: DraftGoal
  messages: readonly DraftMessage[]
}

/** `complete` edits a message until it is done, `grow` only if it can be edited now. */
export type DraftAct =
  | { type: 'send' | 'complete' | 'grow'; index: number }
  /** Nothing is to be done until the text grows. */
  | { type: 'wait' }
  /** All of the reply is shown. */
  | { type: 'end' }

/** Decides what a draft does next in its chat: it takes the first part that is behind what can be shown by now. */
export function nextAct(parts: readonly DraftPart[], state: DraftState): DraftAct {
  const { goal, messages } = state
  const index = parts.findIndex((_, at) => isBehind(parts, at, state))
  if (index < 0) return { type: goal.isWhole ? 'end' : 'wait' }
  if (messages[index]?.id === undefined) return { type: 'send', index }
  return { type: goal.isWhole || !isLast(parts, index) ? 'complete' : 'grow', index }
}

/** Checks whether the chat's view of a part is behind what can be shown by now. */
export function isBehind(parts: readonly DraftPart[], index: number, state: DraftState): boolean {
  const { goal, messages } = state
  const body = parts[index]?.body
  if (body === undefined) return false
  const message = messages[index]
  const isShown =
    isSameBody(message?.body, body) && message?.keyboard === keyboardAt(parts, index, goal)
  if (isShown || goal.isWhole) return !isShown
  const { unknownSends = 0, skipped } = message ?? {}
  return unknownSends <= REPEATS_MAX && !(isLast(parts, index) && isSameBody(skipped, body))
}

/** Checks whether an edit of the last message shows a longer text. */
export function growsByEdit(parts: readonly DraftPart[], state: DraftState): boolean {
  const index = parts.length - 1
  return state.messages[index]?.id !== undefined && !state.goal.isWhole
}

/** Returns the parts of a laid-out reply that the chat can show by now. */
export function partsToShow(
  parts: readonly ReplyPart[],
  { goal, messages }: DraftState,
): readonly DraftPart[] {
  if (goal.isWhole) return parts
  if (parts.length === 0 && goal.announcement) {
    return [{ end: 0, body: { text: goal.announcement }, isAnnouncement: true }]
  }
  // No message goes below one that may be missing.
  const unknown = messages.findIndex(({ id, unknownSends }) => id === undefined && unknownSends > 0)
  return unknown < 0 ? parts : parts.slice(0, unknown + 1)
}

export function keyboardAt(
  parts: readonly DraftPart[],
  index: number,
  { keyboard }: DraftGoal,
): InlineKeyboardMarkup | undefined {
  return isLast(parts, index) ? keyboard : undefined
}

export function isLast(parts: readonly DraftPart[], index: number): boolean {
  return index === parts.length - 1
}
