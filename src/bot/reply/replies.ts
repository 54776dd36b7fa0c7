import type { Logger } from 'pino'
import { ServiceError } from '../../client/errors.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Notifications } from '../../database/notifications.ts'
import { retryUntilStored } from '../../database/retry-until-stored.ts'
import type { Clock } from '../../time/clock.ts'
import type { Prompt } from '../addressing/to-prompt.ts'
import { createAdminAlerts } from '../alerts/alert-admins.ts'
import type { Texts } from '../locales/texts.ts'
import type { Models } from '../models.ts'
import { LeftQueueError, type ServiceQueue, type Ticket } from '../queue/service-queue.ts'
import { createCostNote } from '../spend/cost-note.ts'
import { createTurnCost, mayBeCharged } from '../spend/turn-cost.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { ChatUnreachableError } from '../telegram/errors.ts'
import type { LateChanges } from '../telegram/inbox/late-changes.ts'
import type { MessageRef, Outbox } from '../telegram/outbox/outbox.ts'
import { createAttempts } from '../turns/attempts.ts'
import type { Turn, TurnCost, TurnEnd } from '../turns/turn.ts'
import { createTurns } from '../turns/turns.ts'
import { askInQueue } from './ask-in-queue.ts'
import { createDecisions } from './decisions.ts'
import { createDraft, type Draft } from './draft/draft.ts'
import { createRichSupport } from './draft/rich-support.ts'
import { toFinalText } from './final-text.ts'
import { keepTyping } from './keep-typing.ts'
import { toQueueNotice } from './queue-notice-text.ts'
import { type AnswerEnd, type Reading, readAnswer } from './read-answer.ts'
import { createRunningTurns } from './running-turns.ts'
import { endKeyboard, stopKeyboard } from './turn-keyboards.ts'
import { createTurnRequests, StopRequestedError, TooLongError } from './turn-request.ts'

export interface RepliesDeps {
  prisma: PrismaClient
  service: Pick<ServiceClient, 'streamChat'>
  outbox: Outbox
  models: Models
  texts: Texts
  notifications: Pick<Notifications, 'listen'>
  /** Where turns wait for the service; it ends with `stopping`. */
  line: ServiceQueue
  readLateChanges: (turn: Turn) => Promise<LateChanges>
  settings: {
    systemPrompt?: string | undefined
    maxTokens: number
    /** Told when the service answers nobody. */
    adminIds: ReadonlySet<number>
  }
  clock: Clock
  log: Logger
  /** Leaves the turns that wait in line to the next run. */
  stopping: AbortSignal
  /** Ends every turn at once; each is taken up again by the next run. */
  signal: AbortSignal
}

export interface Reply {
  /** Resolves when nothing of the turn is left to be done, be it only its exact cost. */
  settled: Promise<void>
}

/**
 * Answers messages: update → turn → line → completion → deltas → draft → messages.
 *
 * A message that is handled a second time finds its turn: one that showed nothing yet runs anew, one
 * that was cut short is ended with what was shown, and one that ended is shown whole.
 */
export function createReplies(deps: RepliesDeps) {
  const { service, outbox, models, texts, line, settings, clock, log } = deps
  const { stopping, signal } = deps
  const turns = createTurns(deps.prisma)
  const attempts = createAttempts(deps.prisma)
  const requests = createTurnRequests({ ...deps, turns })
  const decisions = createDecisions({ turns, attempts, requests, models })
  const running = createRunningTurns({ ...deps, onLeft: endLeft })
  const cost = createTurnCost({
    models,
    costNote: createCostNote(deps.prisma),
    maxTokens: settings.maxTokens,
  })
  const richSupport = createRichSupport(clock)
  const admins = createAdminAlerts({ ...deps, adminIds: settings.adminIds })
  return { reply, noteEdit, resume, tidyKeyboard, stop: running.stop, decide: decisions.decide }

  /**
   * Resolves when the reply is shown, and with it the next turn of the place may begin.
   *
   * @param isLate Whether the message is so old that its user is asked first.
   * @throws The reason of the signal that ended it: the turn is to be taken up again.
   */
  async function reply(prompt: Prompt, { isLate = false } = {}): Promise<Reply> {
    const turn = await turns.find(prompt)
    if (turn !== undefined) return resume(turn)
    await models.ready()
    const heldReason = isLate ? 'late' : undefined
    return resume(await turns.begin(prompt, { chooseModel: models.choose, heldReason }))
  }

  /** Offers to run an edited prompt again, if it is one and was answered. */
  async function noteEdit(prompt: Prompt): Promise<Reply | undefined> {
    const offer = await decisions.noteEdit(prompt)
    return offer && resume(offer)
  }

  /** Brings a turn to its end from wherever it stands. Resolves and throws as `reply()`. */
  async function resume(turn: Turn): Promise<Reply> {
    const isWanted = turn.stopRequestedAt === null
    if (turn.state === 'streaming' && turn.shownText === '' && isWanted) return run(turn)
    await recover(turn)
    return { settled: Promise.resolve() }
  }

  async function run(turn: Turn): Promise<Reply> {
    const leaving = new AbortController()
    const draft = draftOf(turn, AbortSignal.any([signal, leaving.signal]))
    try {
      return await answer(turn, draft, leaving)
    } catch (error) {
      // Nobody finishes the draft any more, and it would keep what it shows in view for ever.
      leaving.abort(error)
      throw error
    }
  }

  async function answer(turn: Turn, draft: Draft, leaving: AbortController): Promise<Reply> {
    const current = running.begin(turn)
    const ticket = line.join(turn, () =>
      log.info({ turnId: turn.id.toString() }, 'turn waits in line'),
    )
    let typing = keepTyping(turn, { outbox, clock })
    let isOver = false
    /** Of the request that went out last. */
    let promptTokens: number | undefined
    const events = askInQueue({
      ticket,
      clock,
      queueSize: line.size,
      ask: () => completionOf(turn, (tokens) => (promptTokens = tokens)),
      onPosition: (standing) => {
        typing.end()
        const { languageCode } = turn
        if (!isOver) draft.announce(toQueueNotice(standing, { texts, languageCode }))
      },
      onAsked: () => {
        typing.end()
        if (!isOver) typing = keepTyping(turn, { outbox, clock })
      },
    })
    const reading = readAnswer(events, (text) => {
      if (isOver || text.trim() === '') return
      typing.end()
      draft.grow(text)
    })
    const stopped = current.stopped.then(() => 'stopped' as const)
    const end = await Promise.race([reading.ended, stopped])
    isOver = true
    typing.end()
    current.end()
    if (isPutOff(end)) leaving.abort(stopping.reason)
    if (signal.aborted || leaving.signal.aborted) await draft.rest()
    signal.throwIfAborted()
    leaving.signal.throwIfAborted()
    const estimate = () => estimateOf(turn, promptTokens)
    if (end === 'stopped') return endStopped(turn, { draft, reading, ticket, estimate })
    if (isTooLong(end))
      await show(await insist(() => turns.hold(turn, 'conversation_too_long')), draft)
    else {
      const turnEnd = await toTurnEnd(turn, { end, text: reading.text(), estimate })
      await show(await finish(turn, await withNextCost(turn, turnEnd, promptTokens)), draft)
    }
    return { settled: Promise.resolve() }
  }

  /** Whether the process stops before the service was asked. */
  function isPutOff(end: AnswerEnd | 'stopped'): boolean {
    return stopping.aborted && end !== 'stopped' && errorOf(end) === stopping.reason
  }

  /** Built when its turn has come: whole histories of a long line would fill the memory. */
  async function* completionOf(turn: Turn, onAsking: (promptTokens: number) => void) {
    const { request, promptTokens } = await requests.build(turn)
    onAsking(promptTokens)
    yield* service.streamChat(request, { signal, retryRateLimited: false })
  }

  /** Ends the reply at once. The stream goes on unseen: cut off, it would cost the whole estimate. */
  async function endStopped(
    turn: Turn,
    {
      draft,
      reading,
      ticket,
      estimate,
    }: { draft: Draft; reading: Reading; ticket: Ticket; estimate: () => Promise<TurnCost> },
  ): Promise<Reply> {
    const errorCode = ticket.leave() ? 'not_asked' : undefined
    const ended = await finish(turn, { state: 'stopped', errorCode, text: reading.text() })
    const settled = chargeStopped(ended, { whenRead: reading.ended, estimate })
    // Whoever awaits it hears of it; until then it must not count as unheard.
    settled.catch(() => {})
    await show(ended, draft)
    return { settled }
  }

  async function chargeStopped(
    turn: Turn,
    { whenRead, estimate }: { whenRead: Promise<AnswerEnd>; estimate: () => Promise<TurnCost> },
  ): Promise<void> {
    const end = await whenRead
    signal.throwIfAborted()
    if (wasNotAsked(errorOf(end))) return
    const { cost } = await toTurnEnd(turn, { end, text: '', estimate })
    if (cost !== undefined) await insist(() => turns.charge(turn, cost))
  }

  /** What an answer's end is to its turn. */
  async function toTurnEnd(
    turn: Turn,
    { end, text, estimate }: { end: AnswerEnd; text: string; estimate: () => Promise<TurnCost> },
  ): Promise<TurnEnd> {
    const error = errorOf(end)
    // Somebody stopped it in the moment before it was asked.
    if (error instanceof StopRequestedError) {
      return { state: 'stopped', errorCode: 'not_asked', text }
    }
    if (error instanceof TooLongError) {
      return { state: 'failed', errorCode: 'message_too_long', text }
    }
    admins.observe(error)
    if (end.type === 'finish') {
      return {
        state: 'finished',
        text,
        cost: cost.told(end, turn.model) ?? (await estimate()),
        ...(end.finishReason === 'length' && { errorCode: 'length' }),
      }
    }
    const errorCode = error instanceof ServiceError ? error.code : 'internal'
    log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'turn failed')
    const isCharged = mayBeCharged(error)
    return { state: 'failed', text, errorCode, ...(isCharged && { cost: await estimate() }) }
  }

  async function withNextCost(
    turn: Turn,
    end: TurnEnd,
    promptTokens: number | undefined,
  ): Promise<TurnEnd> {
    if (end.state !== 'finished' || promptTokens === undefined) return end
    const size = { promptTokens, answer: end.text }
    const nextCostMicroRub = await cost.nextToTell(turn.model, size).catch((error: unknown) => {
      // The next reply tells it.
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'next cost not told')
      return undefined
    })
    return { ...end, nextCostMicroRub }
  }

  /** @param promptTokens Read anew where they are not known any more. */
  async function estimateOf(turn: Turn, promptTokens?: number): Promise<TurnCost> {
    return cost.estimate(turn.model, promptTokens ?? (await requests.estimatePrompt(turn)))
  }

  function finish(turn: Turn, end: TurnEnd): Promise<Turn> {
    return insist(() => turns.end(turn, end))
  }

  /** What an answer was and cost is not lost because the database is away for a while. */
  function insist<T>(write: () => Promise<T>): Promise<T> {
    return retryUntilStored(write, {
      clock,
      signal,
      onTrouble: (error, delayMs) =>
        log.warn({ ...errorFacts(error), delayMs }, 'end of a turn not stored yet'),
    })
  }

  /** Takes up a turn of an earlier run. */
  async function recover(turn: Turn): Promise<void> {
    const draft = draftOf(turn)
    if (turn.state === 'streaming') return show(await finish(turn, await cutShort(turn)), draft)
    const wasAsked = turn.errorCode !== 'not_asked'
    if (turn.state === 'stopped' && wasAsked && turn.charge === undefined) {
      await turns.charge(turn, await estimateOf(turn))
    }
    if (turn.endedAt === null) await show(turn, draft)
  }

  async function cutShort(turn: Turn): Promise<TurnEnd> {
    const text = turn.shownText
    // One of which nothing was shown would have been run anew.
    if (text === '') return { state: 'stopped', errorCode: 'not_asked', text }
    const state = turn.stopRequestedAt === null ? 'interrupted' : 'stopped'
    return { state, text, cost: await estimateOf(turn) }
  }

  async function endLeft(turnId: bigint): Promise<void> {
    const turn = await turns.read(turnId)
    if (turn?.state === 'streaming') await resume(turn)
  }

  /** Has all of a turn that does not run stand in the chat. */
  async function show(turn: Turn, draft: Draft): Promise<void> {
    const { languageCode } = turn
    try {
      await draft.finish(toFinalText(turn, { texts, languageCode }), endKeyboard(turn, texts))
    } catch (error) {
      if (!(error instanceof ChatUnreachableError)) throw error
      log.info({ ...errorFacts(error), turnId: turn.id.toString() }, 'reply not wanted any more')
    }
    await insist(() => turns.close(turn.id))
  }

  /** Has a message of a turn show the buttons that are still of use, or none. Never throws. */
  async function tidyKeyboard(turnId: bigint, message: MessageRef): Promise<void> {
    try {
      const turn = await turns.read(turnId)
      const isHere = turn?.chatId === message.chatId
      if (turn === undefined || !isHere) return void (await outbox.editKeyboard(message))
      // A running reply brings its own, and so does an attempt that writes into this message.
      if (turn.state === 'streaming' || turn.endedAt === null) return
      const next = await turns.findSuccessor(turn)
      if (next?.messageIds.includes(message.messageId)) return
      const isLast = turn.messageIds.at(-1) === message.messageId
      await outbox.editKeyboard(message, isLast ? endKeyboard(turn, texts) : undefined)
    } catch (error) {
      log.info({ ...errorFacts(error), turnId: turnId.toString() }, 'buttons not removed')
    }
  }

  function draftOf(turn: Turn, ending = signal): Draft {
    // In a group that moved, the prompt has no message any more that could be named.
    const isAnew = turn.attempt > 1 && turn.promptMessageId > 0
    const onNotNoted = (error: unknown) => {
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'reply not noted')
    }
    return createDraft(
      {
        outbox,
        clock,
        richSupport,
        log,
        signal: ending,
        // Where a note fails the chat is ahead of the database; the next note brings it up.
        onSending: () => turns.recordSending(turn.id).catch(onNotNoted),
        onShown: (shown) => turns.recordShown(turn.id, shown).catch(onNotNoted),
      },
      {
        chatId: turn.chatId,
        threadId: turn.threadId,
        messageIds: turn.messageIds,
        mayHaveSent: turn.sendingSince !== null,
        ...(isAnew && { replyToMessageId: turn.promptMessageId }),
        keyboard: stopKeyboard(turn, texts),
        ...(turn.usesDrafts && { nativeDraftId: Number(turn.id) }),
        maybeDoubleNote: texts.t(turn.languageCode, 'reply-maybe-double'),
      },
    )
  }
}

/** Whether the conversation is to be made shorter before it can be asked. */
function isTooLong(end: AnswerEnd): boolean {
  const error = errorOf(end)
  return error instanceof TooLongError && error.code === 'conversation_too_long'
}

/** Whether nothing went to the service, so that nothing can be charged. */
function wasNotAsked(error: unknown): boolean {
  return (
    error instanceof LeftQueueError ||
    error instanceof StopRequestedError ||
    error instanceof TooLongError
  )
}

function errorOf(end: AnswerEnd): unknown {
  return end.type === 'failed' ? end.error : undefined
}

export type Replies = ReturnType<typeof createReplies>
