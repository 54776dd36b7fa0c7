import type { InlineKeyboardMarkup } from 'grammy/types'
import type { TelegramApi } from '../api.ts'
import { MediaRefusedError } from '../errors.ts'
import { type CallFailure, isRefusal } from '../failures.ts'
import { type Body, type BodySource, toBody } from './body.ts'
import { editBody, withKeyboard } from './body-calls.ts'
import type { RichSupport } from './formatting.ts'
import { editToFile } from './media-calls.ts'
import type { EditOptions, EditOutcome, InterimOptions, MessageRef } from './outgoing.ts'
import type { OutgoingFile, ShownFile } from './outgoing-media.ts'
import type { ArrivingCall, ChatCalls } from './retry-after-429.ts'
import type { ShownState, ShownStates } from './shown-states.ts'
import { throwRefused } from './throw-refused.ts'

export interface EditsDeps {
  api: Pick<TelegramApi, 'calls' | 'uploads'>
  calls: ChatCalls
  times: RichSupport
  shown: ShownStates
}

/** The outbox's calls that change a message which is in the chat already: its text, its keyboard, its file. */
export function createEdits({ api, calls, times, shown }: EditsDeps) {
  return { edit, editInterim, editKeyboard, editKeyboardWhenFree, editToMedia, remove }

  /**
   * Replaces a message's text and keyboard: waits, and is repeated until it is done. An unchanged message counts as
   * shown, and one whose newer edit came while this one waited, once that is shown.
   *
   * @throws {FormattingRefusedError} If Telegram will not take the formatting.
   * @throws {ChatMigratedError} If the group lives on under another id.
   * @throws {ChatUnreachableError} If the chat cannot be reached.
   */
  function edit(
    target: MessageRef,
    source: BodySource,
    options: EditOptions = {},
  ): Promise<EditOutcome> {
    const { messageId } = target
    let body: Body
    return calls.arrive({
      ...editCall(target, () => body, options),
      isRepeatable: true,
      replaces: [`edit ${messageId}`, keyOfKeyboard(messageId)],
      findOutcome: () => {
        body = toBody(source)
        return findShown(target, { body, keyboard: options.keyboard })
      },
    })
  }

  /**
   * The same if it can be done now: dropped rather than queued.
   *
   * @throws What `edit()` throws.
   */
  function editInterim(
    target: MessageRef,
    source: BodySource,
    { isNeeded, ...options }: InterimOptions = {},
  ): Promise<EditOutcome | 'dropped' | 'unneeded'> {
    return calls.tryOnce<EditOutcome | 'unneeded'>(editCall(target, source, options), {
      urgency: 'interim',
      findOutcome: () => (isNeeded?.() === false ? 'unneeded' : undefined),
    })
  }

  function editCall(
    target: MessageRef,
    source: BodySource,
    { keyboard, signal }: EditOptions,
  ): ArrivingCall<EditOutcome> {
    const { chatId, messageId } = target
    let body: Body
    return {
      chatId,
      key: `edit ${messageId}`,
      signal,
      attempt: async () => {
        body = toBody(source)
        await changing(target, () => editBody(api.calls, target, body, { keyboard, signal }, times))
        shown.record(target, { body, keyboard })
        return 'shown'
      },
      onFailure: (failure) => outcomeOf(failure, chatId, body),
    }
  }

  function findShown(target: MessageRef, state: ShownState): EditOutcome | undefined {
    return shown.isShown(target, state) ? 'shown' : undefined
  }

  async function changing<T>(target: MessageRef, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt()
    } catch (error) {
      shown.forget(target)
      throw error
    }
  }

  function editKeyboard(target: MessageRef, keyboard?: InlineKeyboardMarkup): Promise<EditOutcome> {
    return calls.arrive({
      ...keyboardCall(target, keyboard),
      isRepeatable: true,
      replaces: [keyOfKeyboard(target.messageId)],
      findOutcome: () => findShown(target, { keyboard }),
    })
  }

  /** The same once there is room for it: what else is shown goes first. Dropped where Telegram has the chat wait. */
  function editKeyboardWhenFree(
    target: MessageRef,
    keyboard?: InlineKeyboardMarkup,
  ): Promise<EditOutcome | 'dropped'> {
    return calls.tryOnce(keyboardCall(target, keyboard), { urgency: 'interim' })
  }

  /** Deletes a message, unless Telegram refuses it: it is gone, or too old. Safe to repeat. */
  async function remove(
    { chatId, messageId }: MessageRef,
    { signal }: Pick<EditOptions, 'signal'> = {},
  ): Promise<void> {
    await calls.arrive<true>({
      chatId,
      key: `edit ${messageId}`,
      signal,
      isRepeatable: true,
      attempt: () => api.calls.deleteMessage(chatId, messageId),
      onFailure: () => true,
    })
  }

  function keyboardCall(
    target: MessageRef,
    keyboard: InlineKeyboardMarkup | undefined,
  ): ArrivingCall<EditOutcome> {
    const { chatId, messageId } = target
    const other = withKeyboard(keyboard)
    return {
      chatId,
      key: keyOfKeyboard(messageId),
      attempt: async () => {
        await changing(target, () => api.calls.editMessageReplyMarkup(chatId, messageId, other))
        shown.record(target, { keyboard })
        return 'shown'
      },
      onFailure: (failure) => outcomeOf(failure, chatId),
    }
  }

  /**
   * Turns a message into a file. Safe to repeat: the message shows one file however often it is edited.
   *
   * @returns The file as Telegram holds it; `shown` where Telegram only says that nothing changed.
   * @throws {MediaRefusedError} If Telegram cannot fetch the URL or will not take the file.
   * @throws {ChatUnreachableError} If the bot was blocked, or there is no such chat.
   */
  function editToMedia(
    target: MessageRef,
    file: OutgoingFile,
    options: EditOptions = {},
  ): Promise<ShownFile | EditOutcome> {
    const { chatId, messageId } = target
    return calls.arrive<ShownFile | EditOutcome>({
      chatId,
      key: `edit ${messageId}`,
      signal: options.signal,
      isRepeatable: true,
      attempt: async () => {
        shown.forget(target)
        return (await editToFile(api, target, file, options)) ?? 'shown'
      },
      onFailure: (failure) => {
        if (isRefusal(failure, 'media')) throw new MediaRefusedError(failure.reason)
        return outcomeOf(failure, chatId)
      },
    })
  }
}

function keyOfKeyboard(messageId: number): string {
  return `keyboard ${messageId}`
}

function outcomeOf(failure: CallFailure, chatId: number, body?: Body): EditOutcome {
  if (isRefusal(failure, 'notModified')) return 'shown'
  if (isRefusal(failure, 'gone')) return 'gone'
  return throwRefused(failure, chatId, body)
}
