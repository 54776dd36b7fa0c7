/**
 * Shows everything that the bot shows: messages, edits, files, typing, answers to buttons.
 * In: the content and its urgency. Out: calls to Telegram by the pacer, and the outcome of each.
 * Invariants: a call that must arrive waits until its signal aborts. A send of unknown outcome is never repeated here.
 */
import { createHash } from 'node:crypto'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { withoutMarks } from '../texts/marks.ts'
import type { ChatThread } from './addressing.ts'
import type { TelegramApi } from './api.ts'
import type { PacedCall } from './chat-queue.ts'
import { isRefusal, readFailure, toSendError } from './errors.ts'
import {
  editToFile,
  type OutgoingFile,
  type OutgoingMedia,
  type SentMedia,
  type ShownFile,
  sendFiles,
} from './media.ts'
import {
  type Body,
  type BodySource,
  type Destination,
  editBody,
  type MessageRef,
  type OutgoingMessage,
  placeOf,
  sendBody,
  toBody,
  withKeyboard,
} from './message.ts'
import { Pacer } from './pacer.ts'

export type * from './media.ts'
export type * from './message.ts'

/** Telegram accepts no answer to a button after this time. */
const ANSWER_MS_MAX = 15_000
/** An answer that begins sooner needs no sign, and the last question of a burst is known by then. */
const TYPING_AFTER_MS = 500
/** Telegram shows "typing…" for five seconds. */
const TYPING_INTERVAL_MS = 4_000
/** After this time another process may have changed a message. */
const KNOWN_MS = 60_000
const KNOWN_MAX = 5_000

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

export interface OutboxDeps {
  api: Pick<TelegramApi, 'calls' | 'uploads'>
  clock?: Clock
  pacer?: Pacer
}

export function createOutbox(deps: OutboxDeps) {
  const { clock = systemClock, pacer = new Pacer({ clock }) } = deps
  const { api } = deps
  const known = createKnownLooks(clock, pacer.share)
  return {
    send,
    sendMedia,
    edit,
    editInterim,
    editKeyboard,
    editKeyboardWhenFree,
    editToMedia,
    remove,
    typing,
    keepTyping,
    answerButton,
    nameTopic,
  }

  /**
   * Sends a message; to the chat itself if its topic was deleted.
   *
   * @throws `outcome_unknown` If the message may be in the chat although no answer came.
   * @throws `formatting_refused` If Telegram refuses the formatting. Nothing was sent.
   * @throws `chat_migrated` If the group has a new id. Nothing was sent.
   * @throws `chat_unreachable` If the bot was blocked, or there is no such chat.
   */
  function send(message: OutgoingMessage, options: SendOptions = {}): Promise<MessageRef> {
    const { chatId, keyboard } = message
    return sendNew(message, options, async (whole) => {
      const sent = { chatId, messageId: await sendBody(api.calls, whole) }
      known.record(sent, { body: message, keyboard })
      return sent
    })
  }

  /**
   * Sends a file, or several as an album; to the chat itself if its topic was deleted.
   *
   * @throws `media_refused` If Telegram refuses a file; else the errors of `send()`.
   */
  function sendMedia(message: OutgoingMedia, options: SendOptions = {}): Promise<SentMedia> {
    return sendNew(message, options, (whole) => sendFiles(api, whole, options.signal))
  }

  async function sendNew<M extends Destination, T>(
    message: M,
    options: SendOptions,
    attempt: (message: M) => Promise<T>,
  ): Promise<T> {
    const { chatId, threadId } = message
    try {
      return await pacer.run({
        chatId,
        urgency: 'new',
        ...options,
        attempt: () => attempt(message),
      })
    } catch (error) {
      const failure = readFailure(error)
      const isTopicGone = threadId && isRefusal(failure, 'topicGone')
      if (!isTopicGone) throw toSendError(failure, chatId, isMarkdown(message))
      return sendNew({ ...message, threadId: 0 }, options, attempt)
    }
  }

  /**
   * Replaces a message's text and keyboard, with retries. An unchanged message and a message that already shows a newer
   * edit count as shown.
   *
   * @throws `formatting_refused` If Telegram refuses the formatting.
   * @throws `chat_migrated` If the group has a new id.
   * @throws `chat_unreachable` If the chat cannot be reached.
   */
  function edit(
    target: MessageRef,
    source: BodySource,
    { keyboard, signal }: EditOptions = {},
  ): Promise<EditOutcome> {
    let look: Look = { keyboard }
    return change<never>(target, () => look, {
      urgency: 'final',
      replaces: [`edit ${target.messageId}`, `keyboard ${target.messageId}`],
      signal,
      findOutcome: () => {
        look = { body: toBody(source), keyboard }
        return known.isShown(target, look) ? 'shown' : undefined
      },
    })
  }

  /** Works like `edit()`, but is dropped rather than queued. */
  function editInterim(
    target: MessageRef,
    source: BodySource,
    { keyboard, signal, isNeeded }: InterimOptions = {},
  ): Promise<EditOutcome | 'dropped' | 'unneeded'> {
    let look: Look = { keyboard }
    return change<'dropped' | 'unneeded'>(target, () => look, {
      urgency: 'interim',
      dropped: 'dropped',
      signal,
      findOutcome: () => {
        if (isNeeded?.() === false) return 'unneeded'
        look = { body: toBody(source), keyboard }
        return undefined
      },
    })
  }

  function editKeyboard(target: MessageRef, keyboard?: InlineKeyboardMarkup): Promise<EditOutcome> {
    return change<never>(target, () => ({ keyboard }), {
      urgency: 'final',
      key: `keyboard ${target.messageId}`,
      replaces: [`keyboard ${target.messageId}`],
      findOutcome: () => (known.isShown(target, { keyboard }) ? 'shown' : undefined),
    })
  }

  /** Goes after all other calls. Dropped if Telegram makes the chat wait. */
  function editKeyboardWhenFree(
    target: MessageRef,
    keyboard?: InlineKeyboardMarkup,
  ): Promise<EditOutcome | 'dropped'> {
    return change<'dropped'>(target, () => ({ keyboard }), {
      urgency: 'interim',
      key: `keyboard ${target.messageId}`,
      dropped: 'dropped',
    })
  }

  async function change<T>(
    target: MessageRef,
    lookNow: () => Look,
    how: Omit<PacedCall<T | EditOutcome>, 'chatId' | 'attempt'>,
  ): Promise<T | EditOutcome> {
    const { chatId, messageId } = target
    const key = `edit ${messageId}`
    try {
      return await pacer.run<T | EditOutcome>({ chatId, key, ...how, attempt })
    } catch (error) {
      return editOutcomeOf(error, chatId, isMarkdown(lookNow().body))
    }

    async function attempt(): Promise<EditOutcome> {
      const look = lookNow()
      try {
        await show(target, look, how.signal)
      } catch (error) {
        known.forget(target)
        throw error
      }
      known.record(target, look)
      return 'shown'
    }
  }

  async function show(
    target: MessageRef,
    { body, keyboard }: Look,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (body !== undefined) return editBody(api.calls, target, body, { keyboard, signal })
    const { chatId, messageId } = target
    await api.calls.editMessageReplyMarkup(chatId, messageId, withKeyboard(keyboard))
  }

  /**
   * Turns a message into a file. Safe to repeat.
   *
   * @returns The file as Telegram holds it; `shown` if Telegram only reports that nothing changed.
   * @throws `media_refused` If Telegram cannot fetch the URL or refuses the file.
   * @throws `chat_unreachable` If the bot was blocked, or there is no such chat.
   */
  async function editToMedia(
    target: MessageRef,
    file: OutgoingFile,
    options: EditOptions = {},
  ): Promise<ShownFile | EditOutcome> {
    const { chatId, messageId } = target
    known.forget(target)
    try {
      return await pacer.run<ShownFile | EditOutcome>({
        chatId,
        urgency: 'final',
        key: `edit ${messageId}`,
        signal: options.signal,
        attempt: async () => (await editToFile(api, target, file, options)) ?? 'shown',
      })
    } catch (error) {
      return editOutcomeOf(error, chatId)
    } finally {
      known.forget(target)
    }
  }

  /** Deletes a message, unless it is gone or too old. Safe to repeat. */
  async function remove(
    { chatId, messageId }: MessageRef,
    { signal }: Pick<EditOptions, 'signal'> = {},
  ): Promise<void> {
    const attempt = () => api.calls.deleteMessage(chatId, messageId)
    const key = `edit ${messageId}`
    await unlessRefused(pacer.run({ chatId, urgency: 'final', key, signal, attempt }))
  }

  /** Shows "typing…" for about five seconds. Never throws: without room it is dropped. */
  async function typing(chatId: number, threadId?: number): Promise<void> {
    const attempt = () => api.calls.sendChatAction(chatId, 'typing', placeOf({ threadId }))
    await unlessRefused(pacer.run({ chatId, urgency: 'typing', attempt, dropped: true }))
  }

  /** Shows "typing…" from half a second on until `end()` is called. */
  function keepTyping({ chatId, threadId }: ChatThread): { end(): unknown } {
    const ended = new AbortController()
    void keepShowing()
    // Called with every delta: an abort makes an exception, also the hundredth.
    return { end: () => ended.signal.aborted || ended.abort() }

    async function keepShowing(): Promise<void> {
      await pass(TYPING_AFTER_MS)
      while (!ended.signal.aborted) {
        await typing(chatId, threadId)
        await pass(TYPING_INTERVAL_MS)
      }
    }

    async function pass(ms: number): Promise<void> {
      await clock.sleep(ms, ended.signal).catch(() => {})
    }
  }

  /** Never throws: a button that got no answer stops waiting by itself. */
  async function answerButton(callbackQueryId: string, text?: string): Promise<void> {
    const deadline = clock.now() + ANSWER_MS_MAX
    const other = text === undefined ? {} : { text: withoutMarks(text).toWellFormed() }
    const call: PacedCall<true> = {
      urgency: 'answer',
      dropped: true,
      attempt: () => api.calls.answerCallbackQuery(callbackQueryId, other),
      findOutcome: () => (clock.now() > deadline ? true : undefined),
    }
    await unlessRefused(pacer.run(call))
  }

  /** Names a topic. Ignores refusals: the name is a convenience. Safe to repeat. */
  async function nameTopic(
    { chatId, threadId }: { chatId: number; threadId: number },
    name: string,
  ): Promise<void> {
    const attempt = () => api.calls.editForumTopic(chatId, threadId, { name: name.toWellFormed() })
    const key = `topic ${threadId}`
    await unlessRefused(pacer.run({ chatId, urgency: 'final', key, attempt }))
  }
}

export type Outbox = ReturnType<typeof createOutbox>

function isMarkdown(content: object | undefined): boolean {
  return content !== undefined && 'markdown' in content
}

function editOutcomeOf(error: unknown, chatId: number, hasMarkdown = false): EditOutcome {
  const failure = readFailure(error)
  if (isRefusal(failure, 'notModified')) return 'shown'
  if (isRefusal(failure, 'gone')) return 'gone'
  throw toSendError(failure, chatId, hasMarkdown)
}

async function unlessRefused(made: Promise<unknown>): Promise<void> {
  try {
    await made
  } catch (error) {
    if (readFailure(error).type !== 'refused') throw error
  }
}

interface Look {
  body?: Body
  keyboard: InlineKeyboardMarkup | undefined
}

/** Remembers for a minute what messages show, to skip edits without a change. */
function createKnownLooks(clock: Clock, share: () => number) {
  /** The body is undefined if only the keyboard is known. */
  const looks = new Map<string, { body: string | undefined; keyboard: string; at: number }>()
  return {
    isShown: (message: MessageRef, { body, keyboard }: Look) => {
      const known = find(message)
      const isSameBody = body === undefined || known?.body === digestBody(body)
      return isSameBody && known?.keyboard === digest(keyboard)
    },
    record: (message: MessageRef, { body, keyboard }: Look) => {
      const before =
        body === undefined ? find(message) : { body: digestBody(body), at: clock.now() }
      const { body: shown, at = clock.now() } = before ?? {}
      looks.set(keyOf(message), { body: shown, at, keyboard: digest(keyboard) })
      const [oldest] = looks.keys()
      if (looks.size > KNOWN_MAX && oldest !== undefined) looks.delete(oldest)
    },
    forget: (message: MessageRef) => void looks.delete(keyOf(message)),
  }

  function find(message: MessageRef) {
    // Another process that sends may have changed any message.
    if (share() < 1) looks.clear()
    const known = looks.get(keyOf(message))
    return known && clock.now() - known.at <= KNOWN_MS ? known : undefined
  }
}

function keyOf({ chatId, messageId }: MessageRef): string {
  return `${chatId} ${messageId}`
}

function digestBody(body: Body): string {
  return digest('markdown' in body ? [body.markdown, body.isRtl] : [body.text, body.entities])
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64')
}
