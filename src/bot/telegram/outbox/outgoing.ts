import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Body, Destination } from './body.ts'

/** A message on its way. Link previews are off. */
export type OutgoingMessage = Destination & Extras & Body

/** The message that a new one is seen to answer, if there is one. */
export type AnsweredSource = number | (() => number | undefined)

export interface Extras {
  /** A function is asked when the message's turn comes. */
  replyToMessageId?: AnsweredSource | undefined
  keyboard?: InlineKeyboardMarkup | undefined
  /**
   * Opens a reply to the message, with this hint of 1 to 64 characters, in the client of the user that the
   * message answers or mentions. Such a message has no keyboard and cannot be edited.
   */
  replyHint?: string | undefined
  isSilent?: true
}

export interface MessageRef {
  chatId: number
  messageId: number
}

/** `gone`: the message was deleted or cannot be edited; the caller sends a new one if it must. */
export type EditOutcome = 'shown' | 'gone'

export interface SendOptions {
  signal?: AbortSignal | undefined
  /** Called just before each attempt, which waits for it: from then on the message may be in the chat. */
  onAttempt?: (() => Promise<void>) | undefined
  onNothingSent?: (() => Promise<void>) | undefined
}

export interface EditOptions {
  /** The keyboard stays only if it is given with every edit. */
  keyboard?: InlineKeyboardMarkup | undefined
  signal?: AbortSignal | undefined
}

export interface InterimOptions extends EditOptions {
  isNeeded?: (() => boolean) | undefined
}
