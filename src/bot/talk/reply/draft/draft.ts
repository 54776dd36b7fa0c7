import type { InlineKeyboardMarkup } from 'grammy/types'
import type { AnswerFormat } from '../../../../platform/database/generated/enums.ts'
import { createFormatting, type FormattingDeps } from '../../../telegram/formatting.ts'
import {
  createDraftMessages,
  type DraftMessagesDeps,
  type DraftMessagesOptions,
} from './draft-messages.ts'
import { createReplyLayout, type ReplyText } from './lay-out-reply.ts'
import {
  type DraftAct,
  type DraftGoal,
  type DraftPart,
  type DraftState,
  growsByEdit,
  isBehind,
  isLast,
  keyboardAt,
  nextAct,
  partsToShow,
} from './next-act.ts'

/** A message that cannot be edited now is tried again after a moment, however fast the text grows. */
const DROPPED_PAUSE_MS = 500
/** The first text waits so long for a few words. An answer that is whole by then takes one call instead of two. */
const FIRST_TEXT_MS = 300
const FEW_WORDS_CHARS = 20

export interface DraftDeps extends DraftMessagesDeps, FormattingDeps {}

export interface DraftOptions extends DraftMessagesOptions {
  format: AnswerFormat
  keyboard?: InlineKeyboardMarkup | undefined
}

/**
 * Brings a chat towards a growing text: the first message with the first words, then edits with the
 * newest text as often as the chat takes them, a next message when one is full. Only a whole text is repeated until
 * it is shown. `nextAct()` decides what comes next.
 *
 * A message that may have been sent is sent once more while the text grows, and goes on growing, below a
 * note that the chat may have it twice. If that may have been sent as well, it waits for the whole text.
 */
export function createDraft(deps: DraftDeps, options: DraftOptions) {
  const { clock, signal } = deps
  const { keyboard } = options
  let begunAt: number | undefined
  let goal: DraftGoal = { reply: { text: '' }, keyboard, isWhole: false, announcement: '' }
  const messages = createDraftMessages(deps, options, (chars) => goal.reply.text.slice(0, chars))
  const formatting = createFormatting(deps, options.format)
  const layOutReply = createReplyLayout()
  const whole = Promise.withResolvers<'overtaken'>()
  let changed = Promise.withResolvers<void>()
  const wake = () => changed.resolve()
  signal.addEventListener('abort', wake)
  // A signal keeps its listeners for as long as the process lives.
  const pumped = pump().finally(() => signal.removeEventListener('abort', wake))
  // `finish()` throws the error.
  pumped.catch(() => {})
  return { announce, grow, finish, amend, rest }

  /** Never waits and never throws. */
  function announce(text: string): void {
    if (goal.announcement !== undefined) change({ announcement: text })
  }

  /** Never waits and never throws. */
  function grow(text: string): void {
    begunAt ??= clock.now()
    change({ reply: { text } })
  }

  /**
   * @param finalKeyboard The keyboard below the last message from then on.
   * @throws The error that kept it from being shown, now or earlier.
   */
  async function finish(reply: ReplyText, finalKeyboard?: InlineKeyboardMarkup): Promise<void> {
    change({ reply, keyboard: finalKeyboard, isWhole: true })
    whole.resolve('overtaken')
    await pumped
  }

  /**
   * Changes the notes below a reply that is whole. A call that is to show it takes them along; once it is shown, they
   * are shown if its last message can be edited now.
   */
  async function amend(reply: ReplyText, finalKeyboard?: InlineKeyboardMarkup): Promise<void> {
    await Promise.race([whole.promise, pumped])
    change({ reply, keyboard: finalKeyboard })
    await pumped
    const index = layOut().length - 1
    const isNeeded = () => isBehind(layOut(), index, state())
    if (!isNeeded()) return
    const look = { newest: () => layOut()[index], keyboard: finalKeyboard }
    await messages.amend(index, { ...look, isNeeded })
  }

  /** Waits, once the signal has aborted, until nothing is on its way to the chat, and all is recorded. */
  function rest(): Promise<void> {
    return pumped.catch(() => {})
  }

  function change(changes: Partial<DraftGoal>): void {
    goal = { ...goal, ...changes }
    changed.resolve()
  }

  async function pump(): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      changed = Promise.withResolvers()
      const parts = layOut()
      const act = nextAct(parts, state())
      if (act.type === 'end') return messages.clearFrom(parts.length)
      const firstAt = firstTextAt()
      if (firstAt !== undefined) await until(firstAt, changed.promise)
      else if (act.type !== 'wait') await attempt(act, parts)
      else {
        await changed.promise
        // Laid out when the edit's turn comes: while many replies grow, most texts are never shown.
        const isDue = growsByEdit(parts, state()) && !signal.aborted
        if (isDue) await attempt({ type: 'grow', index: parts.length - 1 }, parts)
      }
    }
  }

  function firstTextAt(): number | undefined {
    const { isWhole, reply } = goal
    if (begunAt === undefined || isWhole || reply.text.length >= FEW_WORDS_CHARS) return undefined
    const at = begunAt + FIRST_TEXT_MS
    return at > clock.now() ? at : undefined
  }

  function state(): DraftState {
    return { goal, messages: messages.all }
  }

  function layOut(): readonly DraftPart[] {
    const look = { formatting: formatting.current(), isInterim: !goal.isWhole }
    return partsToShow(layOutReply(goal.reply, look), state())
  }

  async function attempt(
    act: Extract<DraftAct, { index: number }>,
    parts: readonly DraftPart[],
  ): Promise<void> {
    const isInterim = !goal.isWhole && isLast(parts, act.index)
    try {
      await carryOut(act, parts)
    } catch (error) {
      signal.throwIfAborted()
      // Before the formatting changes: with another one the same text goes at once.
      messages.skip(act.index, layOut()[act.index])
      formatting.refused(error, { isInterim: isInterim && !goal.isWhole })
    }
  }

  async function carryOut(
    { type, index }: Extract<DraftAct, { index: number }>,
    parts: readonly DraftPart[],
  ): Promise<void> {
    switch (type) {
      case 'send':
        await messages.mayBeSent(index)
        return sendMessage(index)
      case 'complete': {
        const part = parts[index]
        if (part === undefined) return
        const newest = () => layOut()[index] ?? part
        return messages.complete(index, { newest, keyboard: keyboardAt(parts, index, goal) })
      }
      case 'grow':
        return growMessage(index)
    }
  }

  async function sendMessage(index: number): Promise<void> {
    const parts = layOut()
    const part = parts[index]
    if (part === undefined) return
    const isShown = await messages.send(index, { part, keyboard: keyboardAt(parts, index, goal) })
    if (!isShown && part.isAnnouncement) change({ announcement: undefined })
  }

  /**
   * The whole text does not wait for this edit's turn: it takes it, or follows if it is on its way. A text
   * that outgrew the message by then completes it instead.
   */
  async function growMessage(index: number): Promise<void> {
    const isDropped = await messages.grow(index, {
      keyboard: goal.keyboard,
      newest: () => layOut()[index],
      isNeeded: () => isLast(layOut(), index) && isBehind(layOut(), index, state()),
      overtaken: whole.promise,
    })
    if (!isDropped) return
    messages.skip(index, layOut()[index])
    await until(clock.now() + DROPPED_PAUSE_MS, whole.promise)
  }

  async function until(at: number, event: Promise<unknown>): Promise<void> {
    const over = new AbortController()
    // The sleep ends with an abort when the event comes first.
    const either = AbortSignal.any([over.signal, signal])
    const slept = clock.sleep(Math.max(at - clock.now(), 0), either).catch(() => {})
    await Promise.race([slept, event])
    over.abort()
  }
}

/** A reply that is being written in a chat. */
export type Draft = ReturnType<typeof createDraft>
