import type { Logger } from 'pino'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { withoutMarks } from '../../locales/marks.ts'
import type { TelegramApi } from '../api.ts'
import { MediaRefusedError } from '../errors.ts'
import { type CallFailure, isRefusal } from '../failures.ts'
import type { SendLimits } from '../pacing/send-limits.ts'
import { ALL_CHATS, createSendScheduler } from '../pacing/send-scheduler.ts'
import type { StoredFloodWaits } from '../pacing/stored-flood-waits.ts'
import type { StoredPaces } from '../pacing/stored-paces.ts'
import { inThread, sendBody } from './body-calls.ts'
import { createEdits } from './edits.ts'
import { createRichSupport } from './formatting.ts'
import { createKeepTyping } from './keep-typing.ts'
import { sendFiles } from './media-calls.ts'
import type { MessageRef, OutgoingMessage, SendOptions } from './outgoing.ts'
import type { OutgoingMedia, SentMedia } from './outgoing-media.ts'
import { type CallTrouble, createChatCalls } from './retry-after-429.ts'
import { createShownStates } from './shown-states.ts'
import { throwUnsent } from './throw-refused.ts'

export type * from './outgoing.ts'
export type * from './outgoing-media.ts'

export interface OutboxDeps {
  api: Pick<TelegramApi, 'calls' | 'uploads'>
  clock?: Clock
  limits?: SendLimits | undefined
  instances?: () => number
  floodWaits?: Pick<StoredFloodWaits, 'record' | 'onFloodWait'> | undefined
  paces?: Pick<StoredPaces, 'record' | 'onCall'> | undefined
  log?: Logger | undefined
}

/** Buttons wait for their answer on the user's screen; after this Telegram takes none any more. */
const ANSWER_MS_MAX = 15_000

/**
 * The way out: every call that shows something in a chat.
 *
 * Calls to one chat run in order, one at a time, paced. What must arrive waits as long as it must:
 * after a 429, and while Telegram cannot be reached. Only its signal ends the wait.
 */
export function createOutbox(deps: OutboxDeps) {
  const { api, clock = systemClock, limits, instances, floodWaits, paces, log } = deps
  const scheduler = createSendScheduler({
    clock,
    limits,
    instances,
    onFlood: floodWaits?.record,
    onCalled: paces?.record,
  })
  floodWaits?.onFloodWait(scheduler.hold)
  const shown = createShownStates(clock)
  paces?.onCall((call) => {
    scheduler.count(call)
    shown.forgetChat(call.chatId)
  })
  const calls = createChatCalls(scheduler, logTrouble)
  const times = createRichSupport(clock)
  const edits = createEdits({ api, calls, times, shown })
  const keepTyping = createKeepTyping({ scheduler, typing, clock })
  return {
    send,
    sendMedia,
    edit: edits.edit,
    editInterim: edits.editInterim,
    editKeyboard: edits.editKeyboard,
    editKeyboardWhenFree: edits.editKeyboardWhenFree,
    editToMedia: edits.editToMedia,
    remove: edits.remove,
    typing,
    keepTyping,
    answerButton,
    nameTopic,
  }

  /**
   * Sends a message; to the chat itself where its topic was deleted.
   *
   * @throws {SendOutcomeUnknownError} If it may stand in the chat although no answer came.
   * @throws {FormattingRefusedError} If Telegram will not take the formatting. Nothing was sent.
   * @throws {ChatMigratedError} If the group lives on under another id. Nothing was sent.
   * @throws {ChatUnreachableError} If the bot was blocked, or there is no such chat.
   */
  function send(message: OutgoingMessage, options: SendOptions = {}): Promise<MessageRef> {
    const { chatId, threadId } = message
    const { signal, onAttempt, onNothingSent } = options
    return calls.arrive({
      chatId,
      key: 'send',
      signal,
      attempt: async () => {
        await onAttempt?.()
        const sent = { chatId, messageId: await sendBody(api.calls, message, times) }
        shown.record(sent, { body: message, keyboard: message.keyboard })
        return sent
      },
      onNothingDone: onNothingSent,
      onFailure: (failure) => {
        if (isTopicGone(failure, threadId)) return send({ ...message, threadId: 0 }, options)
        return throwUnsent(failure, chatId, message)
      },
    })
  }

  /**
   * Sends a file, or several as an album; to the chat itself where its topic was deleted.
   *
   * @throws {MediaRefusedError} If Telegram will not take one of them; else what `send()` throws.
   */
  function sendMedia(message: OutgoingMedia, options: SendOptions = {}): Promise<SentMedia> {
    const { chatId, threadId } = message
    const { signal, onAttempt, onNothingSent } = options
    return calls.arrive({
      chatId,
      key: 'send',
      signal,
      attempt: async () => {
        await onAttempt?.()
        return sendFiles(api, message, signal)
      },
      onNothingDone: onNothingSent,
      onFailure: (failure) => {
        if (isTopicGone(failure, threadId)) return sendMedia({ ...message, threadId: 0 }, options)
        if (isRefusal(failure, 'media')) throw new MediaRefusedError(failure.reason)
        return throwUnsent(failure, chatId)
      },
    })
  }

  /** Shows "typing…" for about five seconds. Never throws: where there is no room it is dropped. */
  async function typing(chatId: number, threadId?: number): Promise<void> {
    const attempt = () => api.calls.sendChatAction(chatId, 'typing', inThread(threadId))
    const call = { chatId, key: 'typing', attempt, onFailure: () => true as const }
    await calls.tryOnce(call, { urgency: 'typing' })
  }

  /** Never throws. */
  async function answerButton(callbackQueryId: string, text?: string): Promise<void> {
    const deadline = clock.now() + ANSWER_MS_MAX
    const other = text === undefined ? {} : { text: withoutMarks(text).toWellFormed() }
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

  /** Names a topic, unless Telegram refuses it: the name is a convenience. Safe to repeat. */
  async function nameTopic(
    { chatId, threadId }: { chatId: number; threadId: number },
    name: string,
  ): Promise<void> {
    await calls.arrive({
      chatId,
      key: `topic ${threadId}`,
      isRepeatable: true,
      attempt: () => api.calls.editForumTopic(chatId, threadId, { name: name.toWellFormed() }),
      onFailure: () => true as const,
    })
  }

  function logTrouble({ chatId, key, failure: { type, ...facts } }: CallTrouble): void {
    log?.warn({ chatId, call: key, failure: type, ...facts }, 'call to Telegram failed')
  }
}

export type Outbox = ReturnType<typeof createOutbox>

function isTopicGone(failure: CallFailure, threadId = 0): boolean {
  return threadId !== 0 && isRefusal(failure, 'topicGone')
}
