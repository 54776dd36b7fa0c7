import { InputFile } from 'grammy'
import type { InlineKeyboardMarkup, InputMediaVideo } from 'grammy/types'
import type { Logger } from 'pino'
import { type Clock, systemClock } from '../../../time/clock.ts'
import { apiSignal, type TelegramApi } from '../api.ts'
import { errorFacts } from '../error-facts.ts'
import { FormattingRefusedError, MediaRefusedError } from '../errors.ts'
import { type CallFailure, isGone, isMediaRefusal, isNotModified } from '../failures.ts'
import type { SendLimits } from '../pacing/send-limits.ts'
import { ALL_CHATS, createSendScheduler } from '../pacing/send-scheduler.ts'
import type { SharedFloodWaits } from '../pacing/stored-flood-waits.ts'
import { type Body, type BodySource, draftBody, editBody, sendBody, toBody } from './body.ts'
import { type CallTrouble, createChatCalls } from './chat-calls.ts'
import type {
  DraftFrame,
  DraftOutcome,
  EditOptions,
  EditOutcome,
  InterimOutcome,
  MessageRef,
  OutgoingDocument,
  OutgoingMessage,
  SendOptions,
  SentMessage,
  VideoOptions,
  VideoSource,
} from './outgoing.ts'
import { throwRefused, throwUnsent } from './throw-refused.ts'

export type * from './outgoing.ts'

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
   * @throws {FormattingRefusedError} If Telegram will not take the formatting. Nothing was sent.
   * @throws {ChatMigratedError} If the group lives on under another id. Nothing was sent.
   * @throws {ChatUnreachableError} If the bot was blocked, or there is no such chat.
   */
  send(message: OutgoingMessage, options?: SendOptions): Promise<SentMessage>
  /**
   * Sends a file.
   *
   * @throws {MediaRefusedError} If Telegram will not take it; else what `send()` throws.
   */
  sendDocument(
    document: OutgoingDocument,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<SentMessage>
  /**
   * Replaces a message's text and keyboard. An unchanged message counts as shown.
   *
   * @param body A function is asked when the edit's turn comes, so that it carries the newest text.
   * @throws {FormattingRefusedError} If Telegram will not take the formatting. An edit that is not
   *   final throws nothing else.
   * @throws {ChatMigratedError} If the group lives on under another id.
   * @throws {ChatUnreachableError} If a final edit cannot reach the chat.
   */
  edit(
    target: MessageRef,
    body: BodySource,
    options: EditOptions & { final: true },
  ): Promise<EditOutcome>
  edit(target: MessageRef, body: BodySource, options: EditOptions): Promise<InterimOutcome>
  /**
   * Shows the next state of a draft in a private chat, if there is room: like an edit that is not final.
   *
   * @throws {FormattingRefusedError} If Telegram will not take the formatting; nothing else.
   */
  draft(frame: DraftFrame, options?: { signal?: AbortSignal | undefined }): Promise<DraftOutcome>
  /** Changes or, where none is given, removes a message's keyboard. What it says stays. */
  editKeyboard(target: MessageRef, keyboard?: InlineKeyboardMarkup): Promise<EditOutcome>
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
  /** Telegram's by default. */
  limits?: SendLimits | undefined
  /** How many living processes share the bot's token, this one included; 1 by default. */
  instances?: () => number
  /** What other processes know of flood bans; nothing by default. */
  floodWaits?: SharedFloodWaits | undefined
  log?: Logger | undefined
}

/** Buttons wait for their answer on the user's screen; after this Telegram takes none any more. */
const ANSWER_MS_MAX = 15_000

export function createOutbox(deps: OutboxDeps): Outbox {
  const { api, clock = systemClock, limits, instances, floodWaits, log } = deps
  const scheduler = createSendScheduler({ clock, limits, instances, onFlood: floodWaits?.note })
  floodWaits?.onFloodWait(scheduler.hold)
  const calls = createChatCalls(scheduler, noteTrouble)
  return { send, sendDocument, edit, editKeyboard, draft, editToVideo, typing, answerButton }

  async function send(
    message: OutgoingMessage,
    { signal, onAttempt, onNothingSent }: SendOptions = {},
  ): Promise<SentMessage> {
    const { chatId, keyboard, replyToMessageId } = message
    const extras = {
      ...(keyboard && { reply_markup: keyboard }),
      ...(replyToMessageId !== undefined && {
        reply_parameters: { message_id: replyToMessageId, allow_sending_without_reply: true },
      }),
    }
    return calls.arrive({
      chatId,
      key: 'send',
      signal,
      attempt: async () => {
        await onAttempt?.()
        return { chatId, messageId: await sendBody(api.calls, message, message, extras) }
      },
      onNothingDone: onNothingSent,
      onFailure: (failure) => throwUnsent(failure, chatId, message),
    })
  }

  async function sendDocument(
    { chatId, threadId, fileName, bytes, caption }: OutgoingDocument,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<SentMessage> {
    const other = {
      ...(threadId && { message_thread_id: threadId }),
      ...(caption !== undefined && { caption: caption.toWellFormed() }),
    }
    return calls.arrive({
      chatId,
      key: 'send',
      signal,
      attempt: async () => {
        const file = new InputFile(bytes, fileName)
        const sent = await api.uploads.sendDocument(chatId, file, other, apiSignal(signal))
        return { chatId, messageId: sent.message_id }
      },
      onFailure: (failure) => {
        if (isMediaRefusal(failure)) throw new MediaRefusedError(failure.reason)
        return throwUnsent(failure, chatId)
      },
    })
  }

  async function edit(
    target: MessageRef,
    source: BodySource,
    options: EditOptions & { final: true },
  ): Promise<EditOutcome>
  async function edit(
    target: MessageRef,
    source: BodySource,
    options: EditOptions,
  ): Promise<InterimOutcome>
  async function edit(
    target: MessageRef,
    source: BodySource,
    { keyboard, final, isNeeded, signal }: EditOptions,
  ): Promise<InterimOutcome> {
    const { chatId, messageId } = target
    let body: Body
    const call = {
      chatId,
      key: `edit ${messageId}`,
      signal,
      attempt: async (): Promise<EditOutcome> => {
        body = toBody(source)
        const extras = keyboard ? { reply_markup: keyboard } : {}
        await editBody(api.calls, target, body, { ...extras, signal })
        return 'shown'
      },
      onFailure: (failure: CallFailure) => outcomeOf(failure, chatId, body),
    }
    if (final) return calls.arrive({ ...call, isRepeatable: true })
    const findOutcome = () => (isNeeded?.() === false ? 'unneeded' : undefined)
    return calls.tryOnce<EditOutcome | 'unneeded'>(call, { urgency: 'interim', findOutcome })
  }

  async function draft(
    frame: DraftFrame,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<DraftOutcome> {
    const { chatId, threadId, isFirst, canStop, keepOnStop } = frame
    if (chatId < 0) return 'unsupported'
    let body: Body
    const call = {
      chatId,
      key: `draft ${threadId ?? 0}`,
      signal,
      attempt: async (): Promise<DraftOutcome> => {
        body = toBody(frame.body)
        const extras = { can_stop: canStop, keep_on_stop: keepOnStop, signal }
        await draftBody(api.calls, frame, body, extras)
        return 'shown'
      },
      onFailure: (failure: CallFailure): DraftOutcome => {
        try {
          return throwRefused(failure, chatId, body)
        } catch (error) {
          if (error instanceof FormattingRefusedError) throw error
          // There are no drafts here, or a message will meet the same and its sender be told.
          log?.warn({ ...errorFacts(error), chatId }, 'draft refused')
          return 'unsupported'
        }
      },
    }
    return calls.tryOnce(call, { urgency: 'interim', isFirst })
  }

  function editKeyboard(
    { chatId, messageId }: MessageRef,
    keyboard?: InlineKeyboardMarkup,
  ): Promise<EditOutcome> {
    return calls.arrive({
      chatId,
      key: `keyboard ${messageId}`,
      isRepeatable: true,
      attempt: async (): Promise<EditOutcome> => {
        const other = keyboard ? { reply_markup: keyboard } : {}
        await api.calls.editMessageReplyMarkup(chatId, messageId, other)
        return 'shown'
      },
      onFailure: (failure) => outcomeOf(failure, chatId),
    })
  }

  async function editToVideo(
    { chatId, messageId }: MessageRef,
    video: VideoSource,
    { caption, width, height, durationSeconds, keyboard, signal }: VideoOptions,
  ): Promise<EditOutcome> {
    return calls.arrive({
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
        if (isMediaRefusal(failure)) throw new MediaRefusedError(failure.reason)
        return outcomeOf(failure, chatId)
      },
    })
  }

  async function typing(chatId: number, threadId?: number): Promise<void> {
    const other = threadId ? { message_thread_id: threadId } : {}
    const attempt = () => api.calls.sendChatAction(chatId, 'typing', other)
    const call = { chatId, key: 'typing', attempt, onFailure: () => true as const }
    await calls.tryOnce(call, { urgency: 'typing' })
  }

  async function answerButton(callbackQueryId: string, text?: string): Promise<void> {
    const deadline = clock.now() + ANSWER_MS_MAX
    const other = text === undefined ? {} : { text: text.toWellFormed() }
    const call = {
      chatId: ALL_CHATS,
      key: 'answer',
      attempt: () => api.calls.answerCallbackQuery(callbackQueryId, other),
      // A button that got no answer stops waiting by itself.
      onFailure: () => true as const,
    }
    const findOutcome = () => (clock.now() > deadline ? true : undefined)
    await calls.tryOnce(call, { urgency: 'answer', findOutcome })
  }

  function noteTrouble({ chatId, key, failure: { type, ...facts } }: CallTrouble): void {
    log?.warn({ chatId, call: key, failure: type, ...facts }, 'call to Telegram failed')
  }
}

/** What the failure of an edit leaves in the chat. */
function outcomeOf(failure: CallFailure, chatId: number, body?: Body): EditOutcome {
  if (isNotModified(failure)) return 'shown'
  if (isGone(failure)) return 'gone'
  return throwRefused(failure, chatId, body)
}

function toInputFile(video: VideoSource): string | InputFile {
  if ('url' in video) return video.url
  const { bytes, fileName } = video
  return new InputFile(bytes, fileName)
}
