import type { Logger } from 'pino'
import type { Clock } from '../../../platform/time/clock.ts'
import type { AdminAlerts } from '../../alerts/alert-admins.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Limits } from '../../spend/limits/limits.ts'
import type { NearLimits } from '../../spend/limits/near-limits.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import type { AnswerRow } from './answer-row.ts'
import type { AnswerEnd, AskTurn, OpenAnswer } from './ask-turn.ts'
import type { Draft } from './draft/draft.ts'
import type { TurnEnds } from './ending/turn-ends.ts'
import { type Ending, outcomeOf, wasAsked } from './next-step.ts'
import type { ShowTurn } from './show-turn.ts'
import type { AsBegun, RequestSize, TurnRequests } from './turn-request.ts'
import { createWaitingReservations } from './waiting-reservations.ts'

export interface RunTurnDeps {
  turns: Pick<Turns, 'findBefore' | 'recordRefusal' | 'hold' | 'reserve' | 'release' | 'close'>
  chats: ShowTurn
  answerRow: Pick<AnswerRow, 'comeWhenQuiet' | 'tidyBefore'>
  ends: TurnEnds
  askTurn: AskTurn
  needOf: TurnRequests['needOf']
  texts: Texts
  limits: Pick<Limits, 'mayHold'>
  nearLimits: NearLimits
  alerts: Pick<AdminAlerts, 'observe'>
  afterAnswer: (answered: Turn, size: RequestSize | undefined) => Promise<void>
  clock: Clock
  log: Logger
  stopping: AbortSignal
  signal: AbortSignal
}

export interface Reply {
  settled?: Promise<void>
}

export interface RunOptions {
  hasWaited?: boolean
  asBegun?: AsBegun | undefined
}

export const SETTLED: Reply = {}

/** The answer before is tidied after the request for the next one, which is more urgent. */
const TIDY_AFTER_MS = 100

/** A summary has no message of its user's that could be shortened, so its user is asked nothing. */
const SUMMARY_TOO_LONG: Ending = {
  state: 'failed',
  errorCode: 'message_too_long',
  cost: 'nothing',
}

/** Runs a turn from its time in the queue to its last message: queue → completion → deltas → draft → messages. */
export function createRunTurn({
  turns,
  chats,
  answerRow,
  ends,
  askTurn,
  needOf,
  texts,
  limits,
  nearLimits,
  alerts,
  afterAnswer,
  clock,
  log,
  stopping,
  signal,
}: RunTurnDeps) {
  const { end, charge, costOf, untilStored } = ends
  const reservations = createWaitingReservations({ reserve: reserveWaiting, log })
  return { run, show }

  /** @throws The reason of the signal that ended it: the turn is to be taken up again. */
  async function run(begun: Turn, { hasWaited = false, asBegun }: RunOptions): Promise<Reply> {
    const turn = await chats.moveDown(begun)
    const failed = new AbortController()
    const draft = chats.openDraft(turn, AbortSignal.any([signal, failed.signal]))
    // It replaces the words that the turn waits.
    if (hasWaited && turn.messageIds.length > 0) {
      draft.announce(texts.t(turn.languageCode, 'reply-begins'))
    }
    try {
      return await answer(turn, draft, asBegun)
    } catch (error) {
      // A draft that is not finished would wait for ever.
      failed.abort(error)
      await draft.rest()
      throw error
    }
  }

  async function show(turn: Turn, draft: Draft): Promise<void> {
    await chats.show(turn, draft)
    await untilStored(() => turns.close(turn.id))
    void answerRow.comeWhenQuiet(turn)
  }

  async function answer(turn: Turn, draft: Draft, asBegun?: AsBegun): Promise<Reply> {
    const open = askTurn(turn, draft, { reservations, asBegun })
    void tidyBefore(turn)
    const first = await open.over
    signal.throwIfAborted()
    if (first === 'stopped') return stopAnswer(turn, draft, open)
    // The process stops before the service was asked.
    if (first.type === 'failed' && first.error === stopping.reason) stopping.throwIfAborted()
    const ended = await endAnswered(turn, first, open)
    await show(ended, draft)
    await afterAnswer(ended, open.soFar().size)
    return ended.charge && (await nearLimits.mayBe()) ? { settled: nearLimits.warn(turn) } : SETTLED
  }

  /** Lets the request of the turn go first. */
  async function tidyBefore(turn: Turn): Promise<void> {
    // A stop ends the sleep early.
    await clock.sleep(TIDY_AFTER_MS, signal).catch(() => {})
    if (signal.aborted) return
    try {
      const before = await turns.findBefore(turn)
      await chats.showLeft(before, signal)
      await answerRow.tidyBefore(turn, before)
    } catch (error) {
      log.info({ ...errorFacts(error), turnId: turn.id.toString() }, 'answer before not tidied')
    }
  }

  async function endAnswered(turn: Turn, answerEnd: AnswerEnd, open: OpenAnswer): Promise<Turn> {
    observe(turn, answerEnd)
    const soFar = open.soFar()
    const outcome = outcomeOf(answerEnd, soFar.size)
    if (!('heldReason' in outcome)) return end(turn, outcome, soFar)
    // A refused request costs nothing.
    if (wasAsked(answerEnd)) await untilStored(() => turns.recordRefusal(turn.id))
    if (turn.kind === 'summary') return end(turn, SUMMARY_TOO_LONG, soFar)
    return untilStored(() => turns.hold(turn, outcome))
  }

  /** Ends the reply at once. The stream goes on unseen: cut off, it would cost the whole estimate. */
  async function stopAnswer(turn: Turn, draft: Draft, open: OpenAnswer): Promise<Reply> {
    const errorCode = open.leave() ? 'not_asked' : undefined
    const ended = await end(turn, { state: 'stopped', errorCode, cost: 'nothing' }, open.soFar())
    const settled = chargeStopped(ended, draft, open)
    // Avoids an unhandled rejection where it fails before anyone awaits it.
    settled.catch(() => {})
    await show(ended, draft)
    return { settled }
  }

  async function chargeStopped(turn: Turn, draft: Draft, open: OpenAnswer): Promise<void> {
    const answerEnd = await open.ended
    signal.throwIfAborted()
    observe(turn, answerEnd)
    const outcome = outcomeOf(answerEnd)
    const isAsked = !('heldReason' in outcome)
    // What came after the stop was not shown.
    const seen = { text: turn.answer ?? '', size: open.soFar().size }
    const cost = isAsked ? await costOf(turn, outcome.cost, seen) : undefined
    if (cost === undefined) return untilStored(() => turns.release(turn.id))
    await charge(turn, cost)
    await chats.showCost(turn, draft)
    await nearLimits.warn(turn)
  }

  async function reserveWaiting(turn: Turn): Promise<void> {
    // Where no limit holds, no conversation is read for it.
    if (!(await limits.mayHold(turn))) return
    const { estimate, leastMicroRub } = await needOf(turn)
    await turns.reserve(turn.id, estimate, leastMicroRub)
  }

  function observe(turn: Turn, end: AnswerEnd): void {
    if (!wasAsked(end)) return
    const error = end.type === 'failed' ? end.error : undefined
    alerts.observe('chat', error, turn.model)
    if (end.type === 'finish') return
    log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'turn failed')
  }
}
