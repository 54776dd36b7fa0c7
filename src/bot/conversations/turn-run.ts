import { LeaseLostError } from '../../platform/database/instance/instance.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { isDatabaseTrouble } from '../../platform/database/trouble.ts'
import type { ChatThread } from '../telegram/addressing.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import { Answer, type AnswerParts } from './answer.ts'
import type { Draft } from './draft.ts'
import {
  type AnswerEnd,
  endingOfCutShort,
  outcomeOf,
  SUMMARY_TOO_LONG,
  type TurnEnds,
  wasAsked,
} from './endings.ts'
import { turnButton } from './keyboards.ts'
import type { RequestSize, TurnRequests } from './request.ts'
import type { ShowTurn } from './show-turn.ts'
import { isOpen, nextStep, type Turn, turnFacts } from './turn.ts'

/** The request for the next answer is more urgent than the buttons of the previous answer. */
const TIDY_AFTER_MS = 100
/** Interval for checking a turn that another process answers, or that waits for another turn. */
const TAKE_UP_MS = 500
/** A shorter wait needs no words. Also the interval for checking whether the replies before it have their messages. */
const SILENT_MS = 1_000
/** Limit for sending the line, as in a flood wait: the answer does not wait longer. */
const UNSENT_MS_MAX = 5_000

export interface RunParts extends AnswerParts {
  requests: TurnRequests
  ends: TurnEnds
  shows: ShowTurn
  /** Limits the turns that begin at the same time, so that they do not take all connections of the database. */
  limited: <T>(work: () => Promise<T>) => Promise<T>
  /** Runs between an answer that is shown whole and the next turn of its thread. Never rejects. */
  afterAnswer: (answered: Turn, size: RequestSize | undefined) => Promise<void>
  /** Aborted when this process must begin nothing more. */
  stopping: AbortSignal
}

export interface RunnableTurn extends ChatThread {
  id: bigint
  userId: bigint
}

export interface FreshTurn {
  turn: Turn
  /** Its text if it is the first of its conversation. */
  firstText: string | undefined
}

/** Runs a turn until nothing is left to be done: history → reserve → queue → stream into the draft → end. */
export class TurnRun {
  readonly turn: RunnableTurn
  readonly #parts: RunParts
  readonly #stopped = Promise.withResolvers<void>()
  phase: 'waiting' | 'running' | 'over' = 'waiting'
  readonly #settled = Promise.withResolvers<void>()
  /** Resolves when it has ended, and nothing of it continues unseen. */
  readonly settled = this.#settled.promise
  #unseen: Promise<unknown> = Promise.resolve()
  #isStopped = false
  #isAsked = false
  #fresh: FreshTurn | undefined
  #firstText: string | undefined
  #editing: Promise<void> = Promise.resolve()

  constructor(parts: RunParts, turn: RunnableTurn, fresh?: FreshTurn) {
    this.#parts = parts
    this.turn = turn
    this.#fresh = fresh
    this.#firstText = fresh?.firstText
  }

  stop(): void {
    this.#isStopped = true
    this.#stopped.resolve()
  }

  /** Returns whether the turn's question may be changed: not once its request is being built. */
  async edit(change: () => Promise<void>): Promise<boolean> {
    if (this.#isAsked || this.phase === 'over') return false
    this.#firstText = undefined
    const changed = change()
    // The request waits for it.
    this.#editing = changed.catch(() => {})
    await changed
    return true
  }

  /** Runs the turn after `before`; resolves when the next turn of its thread may begin. Never rejects. */
  async live(before: Promise<unknown>): Promise<void> {
    try {
      await this.#untilStored(async () => {
        const fresh = this.#fresh?.turn
        this.#fresh = undefined
        let turn = fresh ?? (await this.#comeToTurn(before))
        while (turn !== undefined) turn = await this.#step(turn)
      }, 'turn not answered yet')
    } catch (error) {
      await this.#fail(error)
    } finally {
      this.phase = 'over'
      void this.#unseen.then(() => this.#settled.resolve())
    }
  }

  async #comeToTurn(before: Promise<unknown>): Promise<Turn | undefined> {
    const { app, turns, stopping } = this.#parts
    const over = new AbortController()
    const ended = AbortSignal.any([over.signal, stopping])
    const acknowledged = this.#acknowledge(ended)
    const stopped = this.#stopped.promise
    try {
      await Promise.race([before, stopped, abortOf(ended)])
      for (;;) {
        stopping.throwIfAborted()
        const taken = await turns.takeUp(this.turn.id, { passesOthers: this.#isStopped })
        if (taken === undefined) return undefined
        if (taken !== 'busy') {
          over.abort('over')
          await acknowledged
          // The line may have been sent meanwhile: the answer begins in it.
          const turn = (await turns.read(this.turn.id)) ?? taken
          return this.#isStopped ? { ...turn, stopRequestedAt: new Date() } : turn
        }
        await Promise.race([app.clock.sleep(TAKE_UP_MS, ended).catch(() => {}), stopped])
      }
    } finally {
      over.abort('over')
      await acknowledged
    }
  }

  /** Sends the line at most once, after the first messages of earlier replies, to keep their order. Never rejects. */
  async #acknowledge(signal: AbortSignal): Promise<void> {
    const { app, turns } = this.#parts
    try {
      for (;;) {
        await app.clock.sleep(SILENT_MS, signal)
        const { count, areShown } = await turns.findOpenBefore(this.turn)
        // The turn before it has just ended.
        if (count === 0) return
        if (!areShown) continue
        const turn = await turns.leaseWaiting(this.turn.id)
        if (turn === undefined || signal.aborted) return
        return await this.#showWait(turn, count, signal)
      }
    } catch (error) {
      if (!signal.aborted) this.#log(error, 'wait maybe not shown')
    }
  }

  async #showWait(turn: Turn, count: number, ended: AbortSignal): Promise<void> {
    const { app, turns } = this.#parts
    const { id, chatId, threadId, promptMessageId, messageIds, languageCode } = turn
    const signal = AbortSignal.any([ended, AbortSignal.timeout(UNSENT_MS_MAX)])
    const text = app.texts.t(languageCode, 'reply-waits', { count })
    const keyboard = turnButton('back', turn, app.texts)
    const nothing = { messageIds, maybeDoubleIds: [], mayHaveSent: false, shownText: '' }
    const [shownId] = messageIds
    if (shownId !== undefined) {
      const target = { chatId, messageId: shownId }
      await app.outbox.edit(target, { text }, { keyboard, signal })
      return
    }
    const replyToMessageId = promptMessageId > 0 ? promptMessageId : undefined
    const line = { chatId, threadId, text, keyboard, replyToMessageId }
    const { messageId } = await app.outbox.send(line, {
      signal,
      onAttempt: async () => void (await turns.recordSending(turn)),
      onNothingSent: () => turns.recordShown(id, nothing),
    })
    await turns.recordShown(id, { ...nothing, messageIds: [messageId] })
  }

  /** Returns the turn if another step is to follow. */
  async #step(turn: Turn): Promise<Turn | undefined> {
    const { turns, ends, shows, aborted } = this.#parts
    switch (nextStep(turn)) {
      case 'run':
        await this.#run(turn)
        return undefined
      case 'cut_short': {
        const ending = endingOfCutShort(turn)
        return this.#untilStored(() => ends.end(turn, ending, { text: turn.shownText }))
      }
      case 'charge':
        await this.#untilStored(() => ends.chargeShown(turn))
        // Its process died after it had shown the stop, while it waited for the cost alone.
        if (turn.endedAt !== null) {
          await shows.showCost(turn.id, (charged) => shows.openDraft(charged, aborted))
        }
        return turns.read(turn.id)
      case 'show':
        await this.#show(turn, shows.openDraft(turn, aborted))
        return undefined
      case 'nothing':
        await this.#untilStored(() => turns.giveBack(turn.id))
        return undefined
    }
  }

  async #run(turn: Turn): Promise<void> {
    const { app, shows, aborted } = this.#parts
    this.phase = 'running'
    const failed = new AbortController()
    const draft = shows.openDraft(turn, AbortSignal.any([aborted, failed.signal]))
    // It replaces the line that the turn waits.
    if (turn.messageIds.length > 0 && turn.state === 'waiting') {
      draft.announce(app.texts.t(turn.languageCode, 'reply-begins'))
    }
    try {
      await this.#answer(turn, draft)
    } catch (error) {
      // A draft that is not finished would wait for ever.
      failed.abort(error)
      await draft.rest()
      throw error
    }
  }

  async #answer(turn: Turn, draft: Draft): Promise<void> {
    const { app, aborted, stopping } = this.#parts
    const answer = new Answer(this.#parts, {
      turn,
      draft,
      build: () => this.#buildRequest(turn),
      onRefused: () => {
        this.#isAsked = false
      },
    })
    void this.#tidyBefore(turn)
    const stopped = this.#stopped.promise.then(() => 'stopped' as const)
    const first = await Promise.race([answer.ended, stopped])
    this.phase = 'over'
    answer.close()
    aborted.throwIfAborted()
    if (first === 'stopped') return this.#endStopped(turn, draft, answer)
    // The process stops before the service was asked.
    if (first.type === 'failed' && first.error === stopping.reason) stopping.throwIfAborted()
    // It could not be asked, and is taken up again.
    if (first.type === 'failed' && isDatabaseTrouble(first.error)) throw first.error
    const ended = await this.#endAnswered(turn, first, answer)
    await this.#show(ended, draft)
    await this.#parts.afterAnswer(ended, answer.size)
    // Undefined: the turn had ended before.
    if (ended.charge !== undefined) this.#settle(app.spend.warnOfLimits(turn))
  }

  #buildRequest(turn: Turn) {
    const { limited, requests } = this.#parts
    return limited(async () => {
      this.#isAsked = true
      await this.#editing
      const firstText = this.#firstText
      return requests.build(turn, { firstText, isStopped: () => this.#isStopped })
    })
  }

  async #tidyBefore(turn: Turn): Promise<void> {
    const { app, turns, shows, aborted } = this.#parts
    const { id, chatId, threadId } = turn
    // A stop ends the sleep early.
    await app.clock.sleep(TIDY_AFTER_MS, aborted).catch(() => {})
    if (aborted.aborted) return
    try {
      const before = await turns.find({ chatId, threadId, id: { lt: id } })
      if (before !== undefined) await shows.showLeft(before, aborted)
      await shows.tidyBefore(turn, before)
    } catch (error) {
      this.#log(error, 'answer before not tidied')
    }
  }

  async #endAnswered(turn: Turn, answerEnd: AnswerEnd, answer: Answer): Promise<Turn> {
    const { turns, ends } = this.#parts
    this.#observe(turn, answerEnd)
    const outcome = outcomeOf(answerEnd, answer.size)
    if (!('heldReason' in outcome)) return this.#untilStored(() => ends.end(turn, outcome, answer))
    // A refused request costs nothing.
    if (wasAsked(answerEnd)) await this.#untilStored(() => turns.recordRefusal(turn.id))
    if (turn.kind === 'summary') {
      return this.#untilStored(() => ends.end(turn, SUMMARY_TOO_LONG, answer))
    }
    return this.#untilStored(() => turns.hold(turn, outcome))
  }

  /** Ends the reply at once. The stream continues unseen: cut off, it would cost the whole estimate. */
  async #endStopped(turn: Turn, draft: Draft, answer: Answer): Promise<void> {
    const errorCode = answer.leave() ? 'not_asked' : undefined
    const ending = { state: 'stopped', errorCode, cost: 'nothing' } as const
    const { text, size } = answer
    const ended = await this.#untilStored(() => this.#parts.ends.end(turn, ending, { text, size }))
    const shown = this.#show(ended, draft)
    if (errorCode === undefined) this.#settle(this.#chargeStopped(ended, { draft, answer, shown }))
    await shown
  }

  async #chargeStopped(
    turn: Turn,
    { draft, answer, shown }: { draft: Draft; answer: Answer; shown: Promise<void> },
  ): Promise<void> {
    const { app, turns, ends, shows, aborted } = this.#parts
    const answerEnd = await answer.ended
    aborted.throwIfAborted()
    this.#observe(turn, answerEnd)
    const outcome = outcomeOf(answerEnd)
    // Text after the stop was not shown.
    const seen = { text: turn.answer ?? '', size: answer.size }
    const cost = 'heldReason' in outcome ? undefined : await ends.costOf(turn, outcome.cost, seen)
    if (cost === undefined) await this.#untilStored(() => turns.release(turn.id))
    else {
      await this.#untilStored(() => turns.charge(turn, cost))
      await shows.showCost(turn.id, () => draft)
      await app.spend.warnOfLimits(turn)
    }
    await shown
    await this.#untilStored(() => turns.giveBack(turn.id))
  }

  /** A stopped turn that costs something is leased until its cost is known. */
  async #show(turn: Turn, draft: Draft): Promise<void> {
    const { turns, shows } = this.#parts
    await shows.show(turn, draft)
    const isCharged = nextStep(turn) !== 'charge'
    await this.#untilStored(() => turns.close(turn.id, undefined, { isCharged }))
  }

  async #fail(error: unknown): Promise<void> {
    const { turns, ends, shows, aborted, stopping } = this.#parts
    const { id } = this.turn
    const isStopping = aborted.aborted || (stopping.aborted && error === stopping.reason)
    if (isStopping || error instanceof LeaseLostError) {
      // If this fails, the lease ends with the process.
      return void (await turns.giveBack(id).catch(() => {}))
    }
    try {
      const turn = await turns.read(id)
      // A turn that had ended cannot be shown.
      if (turn === undefined || !isOpen(turn)) return await this.#abandon(error)
      this.#log(error, 'turn failed unexpectedly')
      const ending = { state: 'failed', errorCode: 'internal', cost: 'shown' } as const
      const ended = await ends.end(turn, ending, { text: turn.shownText })
      await this.#show(ended, shows.openDraft(ended, aborted))
    } catch (second) {
      await this.#abandon(second)
    }
  }

  async #abandon(error: unknown): Promise<void> {
    const { app, turns } = this.#parts
    const { outbox, texts, log } = app
    const { id, chatId, threadId } = this.turn
    log.error(turnFacts(id, error), 'turn abandoned')
    await turns.abandon(id).catch(() => {})
    const turn = await turns.read(id).catch(() => undefined)
    const text = texts.t(turn?.languageCode, 'reply-failed')
    const once = { chatId, ifLost: 'sentence maybe not shown', log }
    await sendBestEffort(() => outbox.send({ chatId, threadId, text }), once).catch(
      (unsent: unknown) => this.#log(unsent, once.ifLost),
    )
  }

  #settle(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => {
      if (!this.#parts.aborted.aborted) this.#log(error, 'turn not settled')
    })
    this.#unseen = Promise.all([this.#unseen, settled])
  }

  #observe(turn: Turn, end: AnswerEnd): void {
    if (!wasAsked(end)) return
    const error = end.type === 'failed' ? end.error : undefined
    this.#parts.app.alerts.observe('chat', error, turn.model)
    if (end.type === 'failed') this.#log(error, 'turn failed')
  }

  /** Writes until it is stored: an answer and its cost are not lost while the database is away. */
  #untilStored<T>(write: () => Promise<T>, trouble = 'end of a turn not stored yet'): Promise<T> {
    const { app, aborted } = this.#parts
    const onTrouble = (error: unknown) => this.#log(error, trouble)
    return retryUntilStored(write, { clock: app.clock, signal: aborted, onTrouble })
  }

  #log(error: unknown, message: string): void {
    this.#parts.app.log.warn(turnFacts(this.turn.id, error), message)
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
