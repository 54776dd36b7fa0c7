import { isDeepStrictEqual } from 'node:util'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { backoffMs } from '../../platform/time/retry.ts'
import type { App } from '../context.ts'
import { isTelegramError } from '../telegram/errors.ts'
import { createFormatting } from '../telegram/formatting.ts'
import type { Body } from '../telegram/message.ts'
import { createReplyLayout, type ReplyPart, type ReplyText, withNoteAbove } from './draft-layout.ts'
import { turnButton } from './keyboards.ts'
import { ReplyRecord } from './reply-record.ts'
import { isCutShort, isOpen, type Turn } from './turn.ts'
import type { Turns } from './turns.ts'

/** A message that cannot be edited now is tried again after a moment, however fast the text grows. */
const DROPPED_PAUSE_MS = 500
/** The first text waits so long for a few words: a short answer then takes one call instead of two. */
const FIRST_TEXT_MS = 300
const FEW_WORDS_CHARS = 20
/** Repeats of a send with an unknown outcome before the text is whole. */
const REPEATS_MAX = 1
/** A send whose outcome is unknown is repeated ever more slowly: each of them may be in the chat. */
const UNKNOWN_BACKOFF = { firstMs: 2000, maxMs: 120_000 }
const NOTHING: Body = { text: '…' }

interface DraftMessage {
  id?: number
  body?: Body
  keyboard?: InlineKeyboardMarkup | undefined
  /** The body that could not be shown: it is not tried again while the text grows. */
  skipped?: Body
  unknownSends: number
  isMaybeDouble: boolean
}

interface DraftPart extends ReplyPart {
  isAnnouncement?: boolean
}

interface Goal {
  reply: ReplyText
  keyboard: InlineKeyboardMarkup | undefined
  isWhole: boolean
  /** The words that the reply replaces. Undefined if it is not known whether the chat shows them. */
  announcement: string | undefined
}

/**
 * Brings a chat towards a growing text: a message, edits as often as the chat accepts them, a next message.
 *
 * A message that may have been sent is sent once more while the text grows, below a note that it may be a duplicate.
 * If that may have been sent as well, it waits for the whole text. Only a whole text is repeated until it is shown.
 */
export class Draft {
  readonly #app: App
  readonly #turn: Turn
  readonly #record: ReplyRecord
  readonly #signal: AbortSignal
  readonly #formatting: ReturnType<typeof createFormatting>
  readonly #layOutReply = createReplyLayout()
  readonly #messages: DraftMessage[]
  readonly #whole = Promise.withResolvers<'overtaken'>()
  #pumped: Promise<void>
  #goal: Goal
  #changed = Promise.withResolvers<void>()
  #begunAt: number | undefined
  #shownChars = 0

  constructor(app: App, turns: Turns, { turn, signal }: { turn: Turn; signal: AbortSignal }) {
    this.#app = app
    this.#turn = turn
    this.#record = new ReplyRecord(app, turns, { turn, signal })
    this.#signal = signal
    this.#formatting = createFormatting(app, turn.format)
    // If the service was not asked, only words about a wait can have been sent.
    const mayShowMore = turn.sendingSince !== null && (!isOpen(turn) || turn.requests > 0)
    // The message of the wait may already show the first words, whose sending was recorded.
    const isHidden = isOpen(turn) && turn.shownText === '' && mayShowMore
    const ids = isCutShort(turn) || isHidden ? [] : turn.messageIds
    this.#messages = ids.map((id) => ({
      id,
      unknownSends: 0,
      isMaybeDouble: turn.maybeDoubleIds.includes(id),
    }))
    // An earlier run died while it sent one more message.
    if (mayShowMore) this.#messages.push({ unknownSends: 1, isMaybeDouble: false })
    const keyboard = turnButton('stop', turn, app.texts)
    this.#goal = { reply: { text: '' }, keyboard, isWhole: false, announcement: '' }
    this.#pumped = this.#pump()
    // `finish()` throws the error.
    this.#pumped.catch(() => {})
  }

  /** Never waits and never throws. */
  announce(text: string): void {
    if (this.#goal.announcement !== undefined) this.#change({ announcement: text })
  }

  grow(text: string): void {
    this.#begunAt ??= this.#app.clock.now()
    this.#change({ reply: { text } })
  }

  /**
   * Shows the whole reply. Its last state is recorded until that is stored, since no later write would.
   *
   * @throws The error that kept it from being shown, now or earlier.
   */
  async finish(reply: ReplyText, keyboard?: InlineKeyboardMarkup): Promise<void> {
    this.#record.end()
    this.#change({ reply, keyboard, isWhole: true })
    this.#whole.resolve('overtaken')
    this.#pumped = this.#pumped.then(() => this.#pump())
    await this.#pumped
    await this.#record.storeLast()
  }

  /** Waits, once the signal has aborted, until no call is on its way to the chat, and all is recorded. */
  async rest(): Promise<void> {
    await this.#pumped.catch(() => {})
    await this.#record.rest()
  }

  #change(changes: Partial<Goal>): void {
    this.#goal = { ...this.#goal, ...changes }
    this.#changed.resolve()
  }

  async #pump(): Promise<void> {
    const signal = this.#signal
    const wake = () => this.#changed.resolve()
    signal.addEventListener('abort', wake)
    try {
      await this.#bringUp()
    } finally {
      // A signal keeps its listeners for as long as the process lives.
      signal.removeEventListener('abort', wake)
    }
  }

  async #bringUp(): Promise<void> {
    const signal = this.#signal
    for (;;) {
      signal.throwIfAborted()
      this.#changed = Promise.withResolvers()
      const parts = this.#parts()
      const index = parts.findIndex((_, at) => this.#isBehind(parts, at))
      if (index < 0 && this.#goal.isWhole) return this.#clearFrom(parts.length)
      const firstAt = this.#firstTextAt()
      if (firstAt !== undefined) await this.#until(firstAt, this.#changed.promise)
      else if (index >= 0) await this.#attempt(parts, index)
      else {
        await this.#changed.promise
        const last = parts.length - 1
        const growsByEdit = this.#messages[last]?.id !== undefined && !this.#goal.isWhole
        // Laid out when the edit's turn comes: while many replies grow, most texts are never shown.
        if (growsByEdit && !signal.aborted) await this.#attempt(parts, last)
      }
    }
  }

  #firstTextAt(): number | undefined {
    const { isWhole, reply } = this.#goal
    const isDue = this.#begunAt === undefined || isWhole || reply.text.length >= FEW_WORDS_CHARS
    if (isDue) return undefined
    const at = (this.#begunAt ?? 0) + FIRST_TEXT_MS
    return at > this.#app.clock.now() ? at : undefined
  }

  #parts(): readonly DraftPart[] {
    const { reply, isWhole, announcement } = this.#goal
    const look = { formatting: this.#formatting.current(), isInterim: !isWhole }
    const parts = this.#layOutReply(reply, look)
    if (isWhole) return parts
    if (parts.length === 0 && announcement) {
      return [{ end: 0, body: { text: announcement }, isAnnouncement: true }]
    }
    // No message goes below a message that may be missing.
    const unknown = this.#messages.findIndex((one) => one.id === undefined && one.unknownSends > 0)
    return unknown < 0 ? parts : parts.slice(0, unknown + 1)
  }

  #isBehind(parts: readonly DraftPart[], index: number): boolean {
    const body = parts[index]?.body
    if (body === undefined) return false
    const message = this.#messages[index]
    const isShown =
      isDeepStrictEqual(message?.body, body) && message?.keyboard === this.#keyboardAt(parts, index)
    if (isShown || this.#goal.isWhole) return !isShown
    const { unknownSends = 0, skipped } = message ?? {}
    return (
      unknownSends <= REPEATS_MAX && !(isLast(parts, index) && isDeepStrictEqual(skipped, body))
    )
  }

  #keyboardAt(parts: readonly DraftPart[], index: number): InlineKeyboardMarkup | undefined {
    return isLast(parts, index) ? this.#goal.keyboard : undefined
  }

  async #attempt(parts: readonly DraftPart[], index: number): Promise<void> {
    const isInterim = !this.#goal.isWhole && isLast(parts, index)
    try {
      if (this.#messages[index]?.id === undefined) await this.#send(index)
      else if (isInterim) await this.#growMessage(index)
      else await this.#complete(parts, index)
    } catch (error) {
      this.#signal.throwIfAborted()
      // Before the formatting changes: with another one the same text goes at once.
      this.#skip(index)
      this.#formatting.refused(error, { isInterim: isInterim && !this.#goal.isWhole })
    }
  }

  async #send(index: number): Promise<void> {
    const { clock, outbox } = this.#app
    const { chatId, threadId } = this.#turn
    const signal = this.#signal
    // A message that may be in the chat is not sent again at once.
    const unknownSends = this.#messages[index]?.unknownSends ?? 0
    if (unknownSends > 0) await clock.sleep(backoffMs(UNKNOWN_BACKOFF, unknownSends), signal)
    const parts = this.#parts()
    const part = parts[index]
    if (part === undefined) return
    const message = this.#messageAt(index)
    message.isMaybeDouble ||= message.unknownSends > 0
    const keyboard = this.#keyboardAt(parts, index)
    let question: number | undefined
    const answered = index === 0 && { replyToMessageId: () => question }
    const outgoing = { chatId, threadId, ...this.#bodyOf(message, part), keyboard, ...answered }
    try {
      const sent = await outbox.send(outgoing, {
        signal,
        onAttempt: async () => {
          question = await this.#record.sending()
        },
        onNothingSent: () => this.#recordShown(),
      })
      message.id = sent.messageId
    } catch (error) {
      if (!isTelegramError(error, 'outcome_unknown')) throw error
      // Nothing of the reply is lost with an announcement: the reply begins below it.
      if (part.isAnnouncement) this.#change({ announcement: undefined })
      else message.unknownSends += 1
      return
    }
    message.unknownSends = 0
    await this.#recordLook(message, part, keyboard)
  }

  async #complete(parts: readonly DraftPart[], index: number): Promise<void> {
    const { target, message } = this.#at(index)
    const keyboard = this.#keyboardAt(parts, index)
    let part = parts[index]
    const body = () => {
      part = this.#parts()[index] ?? parts[index]
      return this.#bodyOf(message, part)
    }
    const signal = this.#signal
    const outcome = await this.#app.outbox.edit(target, body, { keyboard, signal })
    if (outcome === 'gone') forget(message)
    else await this.#recordLook(message, part, keyboard)
  }

  /** The whole text replaces this edit or follows it. A text that outgrew the message by then completes it. */
  async #growMessage(index: number): Promise<void> {
    const { target, message } = this.#at(index)
    const signal = this.#signal
    // After a crash it would be unknown whether the message shows the wait or the answer.
    if (this.#shownChars === 0 && this.#parts()[index]?.isAnnouncement !== true) {
      await this.#record.sending()
    }
    const { keyboard } = this.#goal
    let part: DraftPart | undefined
    const body = () => {
      part = this.#parts()[index]
      return this.#bodyOf(message, part)
    }
    const isNeeded = () => {
      const parts = this.#parts()
      return isLast(parts, index) && this.#isBehind(parts, index)
    }
    const edited = this.#app.outbox.editInterim(target, body, { keyboard, isNeeded, signal })
    const outcome = await Promise.race([edited, this.#whole.promise])
    switch (outcome) {
      case 'overtaken':
        edited.catch(() => {})
        return
      case 'gone':
        return forget(message)
      case 'shown':
        return this.#recordLook(message, part, keyboard)
      case 'dropped':
        this.#skip(index)
        return this.#until(this.#app.clock.now() + DROPPED_PAUSE_MS, this.#whole.promise)
      case 'unneeded':
    }
  }

  #skip(index: number): void {
    const part = this.#parts()[index]
    if (part !== undefined) this.#messageAt(index).skipped = part.body
  }

  #bodyOf({ isMaybeDouble }: DraftMessage, part: DraftPart | undefined): Body {
    if (part === undefined) return NOTHING
    if (!isMaybeDouble) return part.body
    const note = this.#app.texts.t(this.#turn.languageCode, 'reply-maybe-double')
    return withNoteAbove(part.body, note)
  }

  async #recordLook(
    message: DraftMessage,
    part: DraftPart | undefined,
    keyboard: InlineKeyboardMarkup | undefined,
  ): Promise<void> {
    if (part === undefined) return
    message.body = part.body
    message.keyboard = keyboard
    await this.#recordShown(part.end)
  }

  async #recordShown(end = 0): Promise<void> {
    this.#shownChars = Math.max(this.#shownChars, end)
    await this.#record.shown({
      messageIds: idsOf(this.#messages),
      maybeDoubleIds: idsOf(this.#messages.filter(({ isMaybeDouble }) => isMaybeDouble)),
      mayHaveSent: this.#messages.some(({ unknownSends }) => unknownSends > 0),
      shownText: this.#goal.reply.text.slice(0, this.#shownChars),
    })
  }

  async #clearFrom(index: number): Promise<void> {
    const { chatId } = this.#turn
    const ids = idsOf(this.#messages.splice(index))
    for (const messageId of ids) {
      await this.#app.outbox.edit({ chatId, messageId }, NOTHING, { signal: this.#signal })
    }
    if (ids.length > 0) await this.#recordShown()
  }

  #messageAt(index: number): DraftMessage {
    const message = this.#messages[index] ?? { unknownSends: 0, isMaybeDouble: false }
    this.#messages[index] = message
    return message
  }

  #at(index: number) {
    const message = this.#messages[index]
    if (message?.id === undefined) throw new TypeError('Cannot edit message: it was not sent')
    return { message, target: { chatId: this.#turn.chatId, messageId: message.id } }
  }

  async #until(at: number, event: Promise<unknown>): Promise<void> {
    const { clock } = this.#app
    const over = new AbortController()
    // The sleep ends with an abort when the event comes first.
    const either = AbortSignal.any([over.signal, this.#signal])
    const slept = clock.sleep(Math.max(at - clock.now(), 0), either).catch(() => {})
    await Promise.race([slept, event])
    over.abort()
  }
}

function isLast(parts: readonly DraftPart[], index: number): boolean {
  return index === parts.length - 1
}

function idsOf(messages: readonly DraftMessage[]): number[] {
  return messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
}

function forget(message: DraftMessage): void {
  delete message.id
  delete message.body
}
