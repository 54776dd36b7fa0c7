import type { InlineKeyboardMarkup } from 'grammy/types'

/** A plain text message on its way. Link previews are off. */
export interface OutgoingText {
  chatId: number
  threadId?: number | undefined
  /** 1 to 4,096 characters once trimmed. */
  text: string
  replyToMessageId?: number | undefined
  keyboard?: InlineKeyboardMarkup | undefined
}

export interface MessageRef {
  chatId: number
  messageId: number
}

export type SentMessage = MessageRef

/** `gone`: the message was deleted or cannot be edited; the caller sends a new one if it must. */
export type EditOutcome = 'shown' | 'gone'

/** `dropped`: there was no room, or a newer text took its place. */
export type InterimOutcome = EditOutcome | 'dropped'

export interface EditOptions {
  /** The keyboard stays only if it is given with every edit. */
  keyboard?: InlineKeyboardMarkup | undefined
  /** A final edit waits and is repeated until it is done. One that is not is dropped rather than queued. */
  final: boolean
  signal?: AbortSignal | undefined
}

/** A clip: a link for Telegram to fetch (20 MB at most), or its bytes (50 MB at most). */
export type VideoSource = { url: string } | { bytes: VideoBytes; fileName: string }

/** The bytes, or what opens them anew: it is called for every attempt. */
export type VideoBytes = Uint8Array | (() => AsyncIterable<Uint8Array>)

export interface VideoOptions {
  caption?: string | undefined
  width: number
  height: number
  durationSeconds: number
  keyboard?: InlineKeyboardMarkup | undefined
  signal?: AbortSignal | undefined
}

/**
 * The way out: every call that shows something in a chat.
 *
 * Calls to one chat run in order, one at a time, paced. What must arrive waits as long as it must:
 * after a 429, and while Telegram cannot be reached. Only its signal ends the wait.
 */
export interface Outbox {
  /**
   * Sends a message.
   *
   * @throws {SendOutcomeUnknownError} If it may stand in the chat although no answer came.
   * @throws {ChatUnreachableError} If the bot was blocked, or there is no such chat.
   */
  send(message: OutgoingText, options?: { signal?: AbortSignal | undefined }): Promise<SentMessage>
  /**
   * Replaces a message's text and keyboard. An unchanged message counts as shown.
   *
   * @param text A function is asked when the edit's turn comes, so that it carries the newest text.
   * @throws {ChatUnreachableError} If a final edit cannot reach the chat.
   */
  edit(
    target: MessageRef,
    text: string | (() => string),
    options: EditOptions & { final: true },
  ): Promise<EditOutcome>
  edit(
    target: MessageRef,
    text: string | (() => string),
    options: EditOptions,
  ): Promise<InterimOutcome>
  /**
   * Turns a message into a clip. Safe to repeat: the message shows one clip however often it is told to.
   *
   * @throws {MediaRefusedError} If Telegram cannot fetch the URL or will not take the file.
   * @throws {ChatUnreachableError} If the bot was blocked, or there is no such chat.
   */
  editToVideo(target: MessageRef, video: VideoSource, options: VideoOptions): Promise<EditOutcome>
  /** Shows "typing…" for about five seconds. Never throws: where there is no room it is dropped. */
  typing(chatId: number, threadId?: number): Promise<void>
  /** Ends a button's waiting state, with a short text if there is one. Never throws. */
  answerButton(callbackQueryId: string, text?: string): Promise<void>
}
