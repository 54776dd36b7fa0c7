import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Logger } from 'pino'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import { type CostNotes, isShown } from '../../spend/cost-notes.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { isMessageOrigin } from '../../telegram/origin-key.ts'
import type { MessageRef, Outbox } from '../../telegram/send.ts'
import type { Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import type { AgainOffers } from './again-offers.ts'
import { type Actor, mayDecide } from './stoppable-turns.ts'
import {
  decisionsFor,
  type EndOffers,
  endKeyboard,
  pickKeyboard,
  type RowStep,
} from './turn-keyboards.ts'

/** A question that comes sooner after an answer is of somebody who does not stop to look for buttons. */
const QUIET_MS = 5_000

export interface AnswerRowDeps {
  turns: Pick<Turns, 'read' | 'findSuccessor' | 'findBefore' | 'isLast'>
  againOffers: AgainOffers
  costNotes: Pick<CostNotes, 'ofUser'>
  outbox: Pick<Outbox, 'editKeyboard' | 'editKeyboardWhenFree'>
  texts: Texts
  limitTexts: LimitTexts
  clock: Clock
  log: Logger
  stopping: AbortSignal
}

interface RowPress {
  turnId: bigint
  chatId: number
  step: RowStep
  actor: Actor
}

/**
 * Keeps the buttons below turns that ended: the row by which an answer is given again stands below the last answer of
 * its thread alone.
 *
 * To take a row away costs a call of the chat's pace. So a row comes with the last edit of an answer whose user takes
 * their time, and the next question takes it away. Where question follows question, it comes once nothing was asked for
 * a while: nothing is taken away in between. A process that stops before leaves that answer without it.
 */
export function createAnswerRow({
  turns,
  againOffers,
  costNotes,
  outbox,
  texts,
  limitTexts,
  clock,
  log,
  stopping,
}: AnswerRowDeps) {
  return { below, comeWhenQuiet, picksOf, tidy, tidyBefore }

  async function below(turn: Turn): Promise<InlineKeyboardMarkup | undefined> {
    return keyboardBelow((await isHurried(turn)) ? { ...turn, isLast: false } : turn)
  }

  /** Never throws. */
  async function comeWhenQuiet(turn: Turn): Promise<void> {
    try {
      if (!(await isHurried(turn))) return
      await clock.sleep(QUIET_MS, stopping)
      await add(turn.id)
    } catch (error) {
      if (!stopping.aborted) logLeft(turn.id, error)
    }
  }

  async function add(turnId: bigint): Promise<void> {
    const turn = await turns.read(turnId)
    const message = turn && lastMessageOf(turn)
    if (turn === undefined || message === undefined) return
    const offers = await readOffers(turn)
    if (offers.again.length === 0) return
    await outbox.editKeyboardWhenFree(message, keyboardOf(turn, offers))
    // A question that came meanwhile found nothing to take away.
    if (!(await turns.isLast(turn))) await takeAway(message, turn, offers)
  }

  async function picksOf({
    turnId,
    chatId,
    step,
    actor,
  }: RowPress): Promise<InlineKeyboardMarkup | 'not_yours' | 'gone'> {
    const turn = await turns.read(turnId)
    if (turn === undefined || turn.chatId !== chatId) return 'gone'
    if (!mayDecide(turn, actor)) return 'not_yours'
    const { again } = await readOffers(turn)
    return pickKeyboard(turn, { again, step }, texts) ?? 'gone'
  }

  async function tidy(turnId: bigint, message: MessageRef): Promise<void> {
    try {
      const turn = await turns.read(turnId)
      const isHere = turn?.chatId === message.chatId
      if (turn === undefined || !isHere) return void (await outbox.editKeyboard(message))
      // A running reply brings its own, and so does an attempt that writes into this message.
      if (turn.state === 'streaming' || turn.endedAt === null) return
      const next = await turns.findSuccessor(turn)
      if (next?.messageIds.includes(message.messageId)) return
      const isLast = turn.messageIds.at(-1) === message.messageId
      await outbox.editKeyboard(message, isLast ? await keyboardBelow(turn) : undefined)
    } catch (error) {
      logLeft(turnId, error)
    }
  }

  /**
   * Takes the row away from the answer before a turn, after what else its chat waits for: a button that is still there
   * explains itself when it is pressed. Never throws.
   *
   * @param before The turns before it, the newest first.
   */
  async function tidyBefore(turn: Turn, [before, beforeThat]: readonly Turn[]): Promise<void> {
    try {
      const message = before && lastMessageOf(before)
      if (before === undefined || message === undefined) return
      // A press tidies by itself.
      const isReplaced = before.id === turn.replacesId
      if (isReplaced && !isMessageOrigin(turn.originKey)) return
      // As it was offered: an answer that comes fast has replaced it by now.
      const offers = await readOffers({ ...before, isLast: true, setAsideAt: null })
      const isDue =
        before.state === 'finished'
          ? offers.again.length > 0 && hasHadRow(before, { beforeThat, after: turn })
          : isReplaced
      if (isDue) await takeAway(message, before, offers)
    } catch (error) {
      logLeft(turn.id, error)
    }
  }

  async function takeAway(message: MessageRef, turn: Turn, offers: EndOffers): Promise<void> {
    const rest = keyboardOf(turn, { ...offers, again: [] })
    const outcome = await outbox.editKeyboardWhenFree(message, rest)
    if (outcome === 'dropped') await outbox.editKeyboard(message, rest)
  }

  async function isHurried(turn: Turn): Promise<boolean> {
    // Nothing came to be read: the row is the way on.
    if (turn.state !== 'finished' || turn.answer === undefined) return false
    if (turn.beforeEndedAt !== undefined) return isAtOnce(turn, turn.beforeEndedAt)
    const [before] = await turns.findBefore(turn)
    return isAtOnce(turn, before?.endedAt)
  }

  async function keyboardBelow(turn: Turn): Promise<InlineKeyboardMarkup | undefined> {
    return keyboardOf(turn, await readOffers(turn))
  }

  function keyboardOf(turn: Turn, offers: EndOffers): InlineKeyboardMarkup | undefined {
    return endKeyboard(turn, offers, { texts, limitTexts })
  }

  /** Never throws: an answer is shown even if its offers are not known. */
  async function readOffers(turn: Turn): Promise<EndOffers> {
    try {
      const [again, isCostShown] = await Promise.all([readAgain(turn), readIsCostShown(turn)])
      return { again, isCostShown }
    } catch (error) {
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'nothing offered')
      return { again: [], isCostShown: false }
    }
  }

  /** Only the last answer of a thread is given again: the messages after an older one rest on it. */
  async function readAgain(turn: Turn): Promise<EndOffers['again']> {
    const isOffered =
      decisionsFor(turn).includes('again') && (turn.isLast ?? (await turns.isLast(turn)))
    return isOffered ? againOffers.offersFor(turn) : []
  }

  async function readIsCostShown({ charge, userId }: Turn): Promise<boolean> {
    if (charge === undefined) return false
    const { note } = await costNotes.ofUser(userId)
    return isShown(charge.amountMicroRub, note)
  }

  function logLeft(turnId: bigint, error: unknown): void {
    log.info({ ...errorFacts(error), turnId: turnId.toString() }, 'buttons not changed')
  }
}

export type AnswerRow = ReturnType<typeof createAnswerRow>

function hasHadRow(
  answered: Turn,
  { beforeThat, after }: { beforeThat: Turn | undefined; after: Turn },
): boolean {
  const { endedAt } = answered
  if (endedAt === null || endedAt > after.createdAt) return false
  const isHurried = answered.answer !== undefined && isAtOnce(answered, beforeThat?.endedAt)
  return !isHurried || !isAtOnce(after, endedAt)
}

function isAtOnce({ createdAt }: Turn, beforeEndedAt: Date | null | undefined): boolean {
  if (beforeEndedAt === null || beforeEndedAt === undefined) return false
  return createdAt.getTime() - beforeEndedAt.getTime() < QUIET_MS
}

function lastMessageOf({ chatId, messageIds }: Turn): MessageRef | undefined {
  const messageId = messageIds.at(-1)
  return messageId === undefined ? undefined : { chatId, messageId }
}
