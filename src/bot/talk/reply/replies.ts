import type { Logger } from 'pino'
import type { ServiceClient } from '../../../contract/client/service-client.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Notifications } from '../../../platform/database/instance/notifications.ts'
import type { Clock } from '../../../platform/time/clock.ts'
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
import type { RichSupport } from '../../telegram/formatting.ts'
import type { LateChanges } from '../../telegram/inbox/late-changes.ts'
import type { UpdateFacts } from '../../telegram/inbox/leased-handling.ts'
import type { Outbox } from '../../telegram/send.ts'
import { createAttempts } from '../turns/attempts.ts'
import type { Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import { createAcknowledgements } from './acknowledgements.ts'
import { createAgainOffers } from './again-offers.ts'
import { createAnswerRow } from './answer-row.ts'
import { createAskTurn } from './ask-turn.ts'
import { createDecisions, type RetryRequest } from './decisions.ts'
import { createTurnEnds } from './ending/turn-ends.ts'
import { endingOfCutShort, nextStep } from './next-step.ts'
import { createRunTurn, type Reply, type RunOptions, SETTLED } from './run-turn.ts'
import { createShowTurn, type ShowTurnDeps } from './show-turn.ts'
import { createStoppableTurns } from './stoppable-turns.ts'
import { createTurnRequests } from './turn-request.ts'

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
  queue: ServiceQueue
  alerts: Pick<AdminAlerts, 'observe'>
  readLateChanges: (turn: Turn) => Promise<LateChanges>
  /** Runs between an answer that is shown whole and the next turn of its thread. Never rejects. */
  afterAnswer: (answered: Turn, size: PromptSize | undefined) => Promise<void>
  settings: { systemPrompt?: string | undefined; maxTokens: number }
  clock: Clock
  log: Logger
  stopping: AbortSignal
  signal: AbortSignal
}

type WaitFacts = Pick<UpdateFacts, 'isBeside' | 'onRecorded'>
type AnswerFacts = Omit<UpdateFacts, 'parts'>

interface CarryOnOptions extends Pick<RunOptions, 'asBegun'> {
  isLeft?: boolean
  onTaken?: () => void
}

/** How often a turn that another process answers is looked at. */
const TAKE_UP_MS = 1_000

/**
 * Answers messages: update → turn → queue → completion → deltas → draft → messages.
 *
 * A message that is handled a second time finds its turn, and goes on from there: `nextStep()`.
 */
export function createReplies({
  prisma,
  turns,
  shownTexts,
  service,
  outbox,
  richSupport,
  models,
  texts,
  costNotes,
  limits,
  limitTexts,
  nearLimits,
  notifications,
  queue,
  alerts,
  readLateChanges,
  afterAnswer,
  settings,
  clock,
  log,
  stopping,
  signal,
}: RepliesDeps) {
  const { maxTokens } = settings
  const attempts = createAttempts(prisma)
  const costs = createTurnCosts({ models, costNotes, maxTokens })
  const requests = createTurnRequests({ prisma, turns, models, costs, readLateChanges, settings })
  const decisions = createDecisions({ turns, attempts, requests, models })
  const stoppable = createStoppableTurns({
    prisma,
    notifications,
    onWaiting: endWaiting,
    onLeft: resumeLeft,
  })
  const acknowledgements = createAcknowledgements({
    turns,
    outbox,
    texts,
    clock,
    log,
    signal: stopping,
  })
  const { estimatePrompt } = requests
  const againOffers = createAgainOffers({ models, estimatePrompt, maxTokens })
  const answerRow = createAnswerRow({
    turns,
    againOffers,
    costNotes,
    outbox,
    texts,
    limitTexts,
    clock,
    log,
    stopping,
  })
  const shown = createShowTurn({
    turns,
    shownTexts,
    answerRow,
    outbox,
    richSupport,
    texts,
    limitTexts,
    clock,
    log,
  })
  const ends = createTurnEnds({ turns, costs, requests, clock, log, signal })
  const askTurn = createAskTurn({
    queue,
    buildRequest: requests.build,
    // If it cannot be recorded, the next request writes it off: no user pays for it.
    onRefused: ({ id }) => turns.recordRefusal(id).catch(() => {}),
    stream: (request) => service.streamChat(request, { signal, retryRateLimited: false }),
    stoppable,
    outbox,
    texts,
    clock,
    log,
  })
  const { run, show } = createRunTurn({
    turns,
    chats: shown,
    answerRow,
    ends,
    askTurn,
    needOf: requests.needOf,
    texts,
    limits,
    nearLimits,
    alerts,
    afterAnswer,
    clock,
    log,
    stopping,
    signal,
  })
  return {
    reply,
    recordEdit,
    retry,
    resume,
    decide: decisions.decide,
    stop: stoppable.stop,
    takeBack: stoppable.takeBack,
    findRunning: stoppable.findRunning,
    picksOf: answerRow.picksOf,
    tidyKeyboard: answerRow.tidy,
  }

  /**
   * Answers a message. Resolves when the reply is shown and the next turn of the thread may begin; at once if the
   * turn has to wait.
   *
   * @param readPrompt Reads the prompt of a message that has no turn yet; undefined if it asks nothing.
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
    facts.onRecorded(seen.isFollowed ?? undefined)
    // It may wait long for a slot.
    const asBegun = seen.slotAt === null ? undefined : { ...seen, text: prompt.text }
    return carryOn(begun, { asBegun })
  }

  async function recordEdit(prompt: Prompt, facts: WaitFacts): Promise<Reply | undefined> {
    // It is answered as it is by then, or offered after that.
    if (facts.isBeside && (await decisions.isUnanswered(prompt))) return void facts.onRecorded()
    const offer = await decisions.recordEdit(prompt)
    return offer && resume(offer, facts)
  }

  async function retry(
    request: RetryRequest,
    facts: WaitFacts,
  ): Promise<Reply | 'not_yours' | 'running' | 'nothing'> {
    const turn = await decisions.retryLast(request)
    return typeof turn === 'string' ? turn : resume(turn, facts)
  }

  /** Resolves and throws as `reply()`. */
  async function resume(stored: Turn, { isBeside, onRecorded }: WaitFacts): Promise<Reply> {
    if (!isBeside) return carryOn(stored, { onTaken: onRecorded })
    if (nextStep(stored) !== 'run') return carryOn(stored)
    onRecorded()
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
        return bringToEnd(await ends.end(turn, endingOfCutShort(turn), { text: turn.shownText }))
      case 'charge': {
        const charged = await ends.chargeShown(turn)
        // Its process died after it had shown the stop, waiting for the cost alone.
        if (turn.endedAt !== null) await shown.showLateCost(turn, signal)
        return bringToEnd(charged)
      }
      case 'show':
        await show(turn, shown.openDraft(turn, signal))
        return SETTLED
      case 'nothing':
        return SETTLED
    }
  }

  async function resumeLeft(turnId: bigint): Promise<void> {
    const turn = await turns.read(turnId)
    if (turn?.state === 'streaming') await carryOn(turn, { isLeft: true })
  }

  /** Ends a turn that was taken back, unless its time has just come: then the process that runs it stops it. */
  async function endWaiting(turnId: bigint): Promise<void> {
    await acknowledgements.end({ id: turnId })
    const stored = await turns.read(turnId)
    const turn = stored?.state === 'waiting' ? await turns.takeUp(stored) : undefined
    if (turn !== undefined) await carryOnTaken(turn, { hasWaited: true })
  }
}

export type Replies = ReturnType<typeof createReplies>
