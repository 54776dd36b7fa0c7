import type { Logger } from 'pino'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Notifications } from '../../../platform/database/notifications.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { inSpan } from '../../../platform/tracing/span.ts'
import type { AdminAlerts } from '../../alerts/alert-admins.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Models } from '../../models/models.ts'
import type { ServiceQueue } from '../../queue/service-queue.ts'
import { createTurnCosts, type PromptSize } from '../../spend/charges/turn-cost.ts'
import type { CostNotes } from '../../spend/cost-notes.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { Limits } from '../../spend/limits/limits.ts'
import type { NearLimits } from '../../spend/limits/near-limits.ts'
import type { Prompt } from '../../telegram/addressing/to-prompt.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { LateChanges } from '../../telegram/inbox/late-changes.ts'
import type { UpdateFacts } from '../../telegram/inbox/leased-handling.ts'
import type { RichSupport } from '../../telegram/outbox/formatting.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import { createAttempts } from '../turns/attempts.ts'
import type { Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import { createAcknowledgements } from './acknowledgements.ts'
import { createAgainOffers } from './again/again-offers.ts'
import { askTurn, type OpenAnswer } from './ask-turn.ts'
import { createDecisions, type RetryRequest } from './decisions.ts'
import type { Draft } from './draft/draft.ts'
import { createEndOffers } from './ending/end-offers.ts'
import { createTurnEnds } from './ending/turn-ends.ts'
import { type Ending, endingOfCutShort, nextStep, outcomeOf, wasAsked } from './next-step.ts'
import type { AnswerEnd } from './read-answer.ts'
import { createShowTurn, type ShowTurnDeps } from './show-turn.ts'
import { createStoppableTurns } from './stoppable-turns.ts'
import { type AsBegun, createTurnRequests } from './turn-request.ts'
import { createWaitingReservations } from './waiting-reservations.ts'

export interface RepliesDeps {
  prisma: PrismaClient
  turns: Turns
  shownTexts: ShowTurnDeps['shownTexts']
  service: Pick<ServiceClient, 'streamChat'>
  outbox: Outbox
  richSupport: RichSupport
  models: Models
  texts: Texts
  costNotes: Pick<CostNotes, 'ofUser'>
  limits: Pick<Limits, 'mayHold'>
  limitTexts: LimitTexts
  nearLimits: NearLimits
  notifications: Pick<Notifications, 'listen'>
  /** Where turns wait for the service; it ends with `stopping`. */
  queue: ServiceQueue
  alerts: Pick<AdminAlerts, 'observe'>
  readLateChanges: (turn: Turn) => Promise<LateChanges>
  /** What comes between an answer that is shown whole and the next turn of its thread. Never rejects. */
  afterAnswer: (answered: Turn, size: PromptSize | undefined) => Promise<void>
  settings: { systemPrompt?: string | undefined; maxTokens: number }
  clock: Clock
  log: Logger
  /** Leaves the turns that wait in the queue to the next run. */
  stopping: AbortSignal
  /** Ends every turn at once; each is taken up again by the next run. */
  signal: AbortSignal
}

export interface Reply {
  /** Resolves when nothing of the turn is left to be done, be it only its exact cost; missing: nothing is. */
  settled?: Promise<void>
}

/** Whether a turn waits for those before it in its thread, and whom to tell. */
type WaitFacts = Pick<UpdateFacts, 'isBeside' | 'onNoted'>
type AnswerFacts = Omit<UpdateFacts, 'parts'>

interface RunOptions {
  /** Whether it waited for those before it in its thread. */
  hasWaited?: boolean
  /** Where it was begun just now. */
  asBegun?: AsBegun | undefined
}

interface CarryOnOptions extends Pick<RunOptions, 'asBegun'> {
  /** Whether its lease owner is known to have given it up. */
  isLeft?: boolean
  /** Told when it does not wait any more, for those after it to see. */
  onTaken?: () => void
}

/** How often a turn is looked at that another process answers. */
const TAKE_UP_MS = 1_000

/** What stands in the chat of the answer before is not so urgent as the request for the next one. */
const TIDY_AFTER_MS = 100

/** What is asked of the user of a message that does not fit has no use where there is no message. */
const SUMMARY_TOO_LONG: Ending = {
  state: 'failed',
  errorCode: 'message_too_long',
  cost: 'nothing',
}

const SETTLED: Reply = {}

/**
 * Answers messages: update → turn → queue → completion → deltas → draft → messages.
 *
 * A message that is handled a second time finds its turn, and goes on from there: `nextStep()`.
 */
export function createReplies(deps: RepliesDeps) {
  const {
    prisma,
    turns,
    service,
    queue,
    models,
    texts,
    limits,
    nearLimits,
    alerts,
    settings,
    clock,
    log,
    stopping,
    signal,
    afterAnswer,
  } = deps
  const { maxTokens } = settings
  const attempts = createAttempts(prisma)
  const costs = createTurnCosts({ ...deps, maxTokens })
  const requests = createTurnRequests({ ...deps, costs })
  const { decide, retryLast, ...decisions } = createDecisions({ turns, attempts, requests, models })
  const stoppable = createStoppableTurns({ ...deps, onWaiting: endWaiting, onLeft: resumeLeft })
  const acknowledgements = createAcknowledgements({ ...deps, signal: stopping })
  const againOffers = createAgainOffers({ ...requests, models, maxTokens })
  const readEndOffers = createEndOffers({ ...deps, againOffers })
  const chats = createShowTurn({ ...deps, readEndOffers })
  const { end, charge, costOf, estimate, untilStored } = createTurnEnds({
    ...deps,
    costs,
    requests,
  })
  const reservations = createWaitingReservations({ reserve: reserveWaiting, log })
  const { stop, takeBack, findRunning } = stoppable
  return {
    reply,
    noteEdit,
    retry,
    resume,
    decide,
    stop,
    takeBack,
    findRunning,
    tidyKeyboard: chats.tidyKeyboard,
  }

  /**
   * Resolves when the reply is shown, and with it the next turn of the thread may begin; at once where the
   * turn has to wait.
   *
   * @param readPrompt Reads what the message asks, where it has no turn yet; undefined: nothing.
   * @throws The reason of the signal that ended it: the turn is to be taken up again.
   */
  async function reply(
    asked: Pick<Prompt, 'chatId' | 'messageId'>,
    readPrompt: () => Promise<Prompt | undefined>,
    facts: AnswerFacts,
  ): Promise<Reply | undefined> {
    // One that was not handled before has no turn, or its beginning finds it.
    const turn = facts.isFirst ? undefined : await turns.find(asked)
    if (turn !== undefined) return resume(turn, facts)
    const prompt = await readPrompt()
    if (prompt === undefined) return undefined
    await models.ready()
    const { isLate, isBeside, updateId } = facts
    const { turn: begun, seen } = await turns.begin(prompt, {
      choice: models.choice(),
      heldReason: isLate ? 'late' : undefined,
      waits: isBeside,
      updateId,
      slot: isLate || isBeside ? undefined : queue.slotRequest(),
    })
    if (isBeside || seen === undefined) return resume(begun, facts)
    facts.onNoted(seen.isFollowed ?? undefined)
    // It may wait long for a slot.
    const asBegun = seen.slotAt === null ? undefined : { ...seen, text: prompt.text }
    return carryOn(begun, { asBegun })
  }

  /** Offers to run an edited prompt again, if it is one and was answered. */
  async function noteEdit(prompt: Prompt, facts: WaitFacts): Promise<Reply | undefined> {
    // It is answered as it is by then, or offered after that.
    if (facts.isBeside && (await decisions.isUnanswered(prompt))) return void facts.onNoted()
    const offer = await decisions.noteEdit(prompt)
    return offer && resume(offer, facts)
  }

  /** Answers the last message of a thread again. Resolves and throws as `reply()`. */
  async function retry(
    request: RetryRequest,
    facts: WaitFacts,
  ): Promise<Reply | 'not_yours' | 'running' | 'nothing'> {
    const turn = await retryLast(request)
    return typeof turn === 'string' ? turn : resume(turn, facts)
  }

  /**
   * Brings a turn to its end from wherever it stands, or notes that it waits for those before it. Resolves and
   * throws as `reply()`.
   */
  async function resume(stored: Turn, { isBeside, onNoted }: WaitFacts): Promise<Reply> {
    if (!isBeside) return carryOn(stored, { onTaken: onNoted })
    if (nextStep(stored) !== 'run') return carryOn(stored)
    onNoted()
    acknowledgements.begin(stored)
    return SETTLED
  }

  async function carryOn(
    stored: Turn,
    { isLeft = false, onTaken = () => {}, asBegun }: CarryOnOptions = {},
  ): Promise<Reply> {
    await acknowledgements.end(stored)
    const turn = await takeUp(stored, isLeft)
    if (turn === undefined) return SETTLED
    onTaken()
    return carryOnTaken(turn, { hasWaited: stored.state === 'waiting', asBegun })
  }

  async function carryOnTaken(turn: Turn, how: RunOptions): Promise<Reply> {
    try {
      return await bringToEnd(turn, how)
    } catch (error) {
      // Where this fails too, the lease ends with the process.
      await turns.giveBack(turn.id).catch(() => {})
      throw error
    }
  }

  /** Waits for the process that answers a turn to be done with it. @returns Undefined if it brought it to its end. */
  async function takeUp(stored: Turn, isLeft: boolean): Promise<Turn | undefined> {
    let turn: Turn | undefined = stored
    while (turn !== undefined && nextStep(turn) !== 'nothing') {
      const taken = await turns.takeUp(turn, { isLeft })
      if (taken !== undefined) return taken
      await clock.sleep(TAKE_UP_MS, stopping)
      turn = await turns.read(turn.id)
    }
    return undefined
  }

  async function bringToEnd(turn: Turn, how: RunOptions = {}): Promise<Reply> {
    switch (nextStep(turn)) {
      case 'run':
        return run(turn, how)
      case 'cut_short':
        return bringToEnd(await end(turn, endingOfCutShort(turn), { text: turn.shownText }))
      case 'charge':
        return bringToEnd(await charge(turn, await estimate(turn)))
      case 'show':
        await show(turn, chats.openDraft(turn, signal))
        return SETTLED
      case 'nothing':
        return SETTLED
    }
  }

  /** Takes up a turn that no other process will. */
  async function resumeLeft(turnId: bigint): Promise<void> {
    const turn = await turns.read(turnId)
    if (turn?.state === 'streaming') await carryOn(turn, { isLeft: true })
  }

  /** Ends a turn that was taken back, unless its time has just come: who runs it hears of that. */
  async function endWaiting(turnId: bigint): Promise<void> {
    await acknowledgements.end({ id: turnId })
    const stored = await turns.read(turnId)
    const turn = stored?.state === 'waiting' ? await turns.takeUp(stored) : undefined
    if (turn !== undefined) await carryOnTaken(turn, { hasWaited: true })
  }

  async function run(turn: Turn, { hasWaited = false, asBegun }: RunOptions): Promise<Reply> {
    const failed = new AbortController()
    const draft = chats.openDraft(turn, AbortSignal.any([signal, failed.signal]))
    // It takes the place of the words that it waits.
    if (hasWaited && turn.messageIds.length > 0) {
      draft.announce(texts.t(turn.languageCode, 'reply-begins'))
    }
    const attributes = { 'kopeck.turn_id': String(turn.id) }
    const span = { name: 'bot turn', kind: 'internal', attributes } as const
    try {
      return await inSpan(span, () => answer(turn, draft, asBegun))
    } catch (error) {
      // A draft that is not finished would keep what it shows in view for ever.
      failed.abort(error)
      await draft.rest()
      throw error
    }
  }

  async function answer(turn: Turn, draft: Draft, asBegun?: AsBegun): Promise<Reply> {
    const open = askTurn(turn, draft, {
      ...deps,
      stoppable,
      reservations,
      asBegun,
      buildRequest: requests.build,
      // Where it is not noted, the next request writes it off: nobody pays.
      onRefused: ({ id }) => turns.recordRefusal(id).catch(() => {}),
      stream: (request) => service.streamChat(request, { signal, retryRateLimited: false }),
    })
    void tidyBefore(turn)
    const first = await open.over
    signal.throwIfAborted()
    if (first === 'stopped') return stopAnswer(turn, draft, open)
    // The process stops, and the service was not asked.
    if (first.type === 'failed' && first.error === stopping.reason) stopping.throwIfAborted()
    const ended = await endAnswered(turn, first, open)
    await show(ended, draft)
    await afterAnswer(ended, open.soFar().size)
    return ended.charge && (await nearLimits.mayBe()) ? { settled: nearLimits.warn(turn) } : SETTLED
  }

  /** The request goes first. */
  async function tidyBefore(turn: Turn): Promise<void> {
    // Stopping is what ends the sleep early.
    await clock.sleep(TIDY_AFTER_MS, signal).catch(() => {})
    if (!signal.aborted) await chats.tidyBefore(turn)
  }

  async function endAnswered(turn: Turn, answerEnd: AnswerEnd, open: OpenAnswer): Promise<Turn> {
    observe(turn, answerEnd)
    const soFar = open.soFar()
    const outcome = outcomeOf(answerEnd, soFar.size)
    if (!('heldReason' in outcome)) return end(turn, outcome, soFar)
    // What the service refused costs nothing.
    if (wasAsked(answerEnd)) await untilStored(() => turns.recordRefusal(turn.id))
    if (turn.kind === 'summary') return end(turn, SUMMARY_TOO_LONG, soFar)
    return untilStored(() => turns.hold(turn, outcome))
  }

  /** Ends the reply at once. The stream goes on unseen: cut off, it would cost the whole estimate. */
  async function stopAnswer(turn: Turn, draft: Draft, open: OpenAnswer): Promise<Reply> {
    const errorCode = open.leave() ? 'not_asked' : undefined
    const ended = await end(turn, { state: 'stopped', errorCode, cost: 'nothing' }, open.soFar())
    const settled = chargeStopped(ended, open)
    // Avoids an unhandled rejection where it fails before anyone awaits it.
    settled.catch(() => {})
    await show(ended, draft)
    return { settled }
  }

  async function chargeStopped(turn: Turn, open: OpenAnswer): Promise<void> {
    const answerEnd = await open.ended
    signal.throwIfAborted()
    observe(turn, answerEnd)
    const outcome = outcomeOf(answerEnd)
    const isAsked = !('heldReason' in outcome)
    const cost = isAsked ? await costOf(turn, outcome.cost, open.soFar().size) : undefined
    if (cost === undefined) return untilStored(() => turns.release(turn.id))
    await charge(turn, cost)
    await nearLimits.warn(turn)
  }

  async function reserveWaiting(turn: Turn): Promise<void> {
    // Where no limit holds, no conversation is read for it.
    if (await limits.mayHold(turn)) await turns.reserve(turn.id, await estimate(turn))
  }

  async function show(turn: Turn, draft: Draft): Promise<void> {
    await chats.show(turn, draft)
    await untilStored(() => turns.close(turn.id))
  }

  /** Hears how the service is from what became of a request. */
  function observe(turn: Turn, end: AnswerEnd): void {
    if (!wasAsked(end)) return
    const error = end.type === 'failed' ? end.error : undefined
    alerts.observe('chat', error)
    if (end.type === 'finish') return
    log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'turn failed')
  }
}

export type Replies = ReturnType<typeof createReplies>
