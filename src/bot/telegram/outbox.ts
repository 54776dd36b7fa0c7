import { InputFile } from 'grammy'
import type { InlineKeyboardMarkup, InputMediaVideo, MessageEntity } from 'grammy/types'
import { apiSignal, type TelegramApi } from './api.ts'
import { type Clock, systemClock } from './clock.ts'
import {
  CallRefusedError,
  ChatUnreachableError,
  MediaRefusedError,
  SendOutcomeUnknownError,
} from './errors.ts'
import {
  type CallFailure,
  isGone,
  isMediaRefusal,
  isNotModified,
  isUnreachable,
  readFailure,
} from './failures.ts'
import { createLanes } from './lanes.ts'

/** A plain text message on its way. Link previews are off. */
export interface OutgoingText {
  chatId: number
  threadId?: number | undefined
  /** 1 to 4,096 characters once trimmed. */
  text: string
  replyToMessageId?: number | undefined
  keyboard?: InlineKeyboardMarkup | undefined
  /** Formatting, in UTF-16 units of the text as it is given. */
  entities?: MessageEntity[] | undefined
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

export interface OutboxDeps {
  api: Pick<TelegramApi, 'calls' | 'uploads'>
  clock?: Clock
}

const NO_PREVIEW = { link_preview_options: { is_disabled: true } }

/** Buttons wait for their answer on the user's screen; after this Telegram takes none any more. */
const ANSWER_MS_MAX = 15_000
const ANSWER_RETRY_MS = 1_000

export function createOutbox({ api, clock = systemClock }: OutboxDeps): Outbox {
  const lanes = createLanes(clock)
  return { send, edit, editToVideo, typing, answerButton }

  async function send(
    { chatId, threadId, text, replyToMessageId, keyboard, entities }: OutgoingText,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<SentMessage> {
    const other = {
      ...NO_PREVIEW,
      ...(threadId && { message_thread_id: threadId }),
      ...(keyboard && { reply_markup: keyboard }),
      ...(entities && { entities }),
      ...(replyToMessageId !== undefined && {
        reply_parameters: { message_id: replyToMessageId, allow_sending_without_reply: true },
      }),
    }
    return lanes.arrive({
      chatId,
      key: 'send',
      signal,
      attempt: async () => {
        const body = text.toWellFormed()
        const sent = await api.calls.sendMessage(chatId, body, other)
        return { chatId, messageId: sent.message_id }
      },
      onFailure: (failure) => {
        if (failure.type === 'unknown') {
          throw new SendOutcomeUnknownError(chatId, failure.reason)
        }
        return throwRefused(failure, chatId)
      },
    })
  }

  async function edit(
    target: MessageRef,
    text: string | (() => string),
    options: EditOptions & { final: true },
  ): Promise<EditOutcome>
  async function edit(
    target: MessageRef,
    text: string | (() => string),
    options: EditOptions,
  ): Promise<InterimOutcome>
  async function edit(
    { chatId, messageId }: MessageRef,
    text: string | (() => string),
    { keyboard, final, signal }: EditOptions,
  ): Promise<InterimOutcome> {
    const call = {
      chatId,
      key: `edit ${messageId}`,
      signal,
      attempt: async (): Promise<EditOutcome> => {
        const body = (typeof text === 'string' ? text : text()).toWellFormed()
        const other = { ...NO_PREVIEW, ...(keyboard && { reply_markup: keyboard }) }
        await api.calls.editMessageText(chatId, messageId, body, other, apiSignal(signal))
        return 'shown'
      },
      onFailure: (failure: CallFailure): EditOutcome => {
        if (isNotModified(failure)) return 'shown'
        if (isGone(failure)) return 'gone'
        return throwRefused(failure, chatId)
      },
    }
    return final ? lanes.arrive({ ...call, isRepeatable: true }) : lanes.tryOnce(call)
  }

  async function editToVideo(
    { chatId, messageId }: MessageRef,
    video: VideoSource,
    { caption, width, height, durationSeconds, keyboard, signal }: VideoOptions,
  ): Promise<EditOutcome> {
    return lanes.arrive({
      chatId,
      key: `edit ${messageId}`,
      signal,
      isRepeatable: true,
      attempt: async (): Promise<EditOutcome> => {
        const media: InputMediaVideo = {
          type: 'video',
          media: toInputFile(video),
          width,
          height,
          duration: durationSeconds,
          supports_streaming: true,
          ...(caption !== undefined && { caption: caption.toWellFormed() }),
        }
        const other = keyboard ? { reply_markup: keyboard } : {}
        const client = 'url' in video ? api.calls : api.uploads
        await client.editMessageMedia(chatId, messageId, media, other, apiSignal(signal))
        return 'shown'
      },
      onFailure: (failure) => {
        if (isNotModified(failure)) return 'shown'
        if (isGone(failure)) return 'gone'
        if (isMediaRefusal(failure) && failure.type === 'refused') {
          throw new MediaRefusedError(failure.reason)
        }
        return throwRefused(failure, chatId)
      },
    })
  }

  async function typing(chatId: number, threadId?: number): Promise<void> {
    if (lanes.isBusy(chatId)) return
    const other = threadId ? { message_thread_id: threadId } : {}
    const failure = await failureOf(api.calls.sendChatAction(chatId, 'typing', other))
    // Nobody misses it; but a flood told here is one for the chat's messages as well.
    if (failure?.type === 'flooded') lanes.rest(chatId, failure.retryAfterMs)
  }

  async function answerButton(callbackQueryId: string, text?: string): Promise<void> {
    const deadline = clock.now() + ANSWER_MS_MAX
    const other = text === undefined ? {} : { text: text.toWellFormed() }
    for (;;) {
      const failure = await failureOf(api.calls.answerCallbackQuery(callbackQueryId, other))
      // A button that got no answer stops waiting by itself; a second one to a press changes nothing.
      if (failure === undefined || failure.type === 'refused') return
      const waitMs = failure.type === 'flooded' ? failure.retryAfterMs : ANSWER_RETRY_MS
      if (clock.now() + waitMs > deadline) return
      await clock.sleep(waitMs)
    }
  }
}

async function failureOf(call: Promise<unknown>): Promise<CallFailure | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return readFailure(error)
  }
}

function toInputFile(video: VideoSource): string | InputFile {
  if ('url' in video) return video.url
  const { bytes, fileName } = video
  return new InputFile(bytes, fileName)
}

function throwRefused(failure: CallFailure, chatId: number): never {
  if (failure.type !== 'refused') throw new TypeError(`Cannot end a call that was ${failure.type}`)
  if (isUnreachable(failure)) throw new ChatUnreachableError(chatId, failure.reason)
  throw new CallRefusedError(failure)
}
