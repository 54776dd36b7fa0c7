import { atMost } from '../../platform/time/at-most.ts'
import { settleWithin } from '../../platform/time/graceful-stop.ts'
import { Chains } from '../chains.ts'
import type { App } from '../context.ts'
import { TurnCosts } from '../spend/costs.ts'
import type { ChatThread } from '../telegram/addressing.ts'
import { errorFacts } from '../telegram/errors.ts'
import type { Prompt } from '../telegram/prompt.ts'
import { Attempts, type Decided, type RetryRequest } from './edits-and-attempts.ts'
import { TurnEnds } from './endings.ts'
import { TurnRequests } from './request.ts'
import { ShowTurn } from './show-turn.ts'
import { type Actor, isOpen, mayDecide, nextStep, type Turn } from './turn.ts'
import { type FreshTurn, type RunnableTurn, type RunParts, TurnRun } from './turn-run.ts'
import type { Turns } from './turns.ts'

const BEGINNING_MAX = 4
/** Interval for reading the stops that users requested from another process. */
const STOPS_EVERY_MS = 1_000
/** Limit for an aborted turn to release its row. Real time, since the database does not follow `clock`. */
const ABORT_MS = 1_000

export type StopTarget = ChatThread | { chatId: number; turnId: bigint }

/** `not_yours`: another user asked, and the actor is no admin. */
export type StopOutcome = 'stopped' | 'nothing' | 'not_yours'

export interface ReplyFacts {
  isLate: boolean
  isFirst?: boolean
}

class StoppingError extends Error {
  override readonly name = 'StoppingError'
  readonly code = 'stopping'

  constructor() {
    super('Cannot go on with turn: the bot is stopping')
  }
}

/** Runs stored turns after their handlers return. Turns of a thread run one at a time, in the order of their ids. */
export class Replies {
  readonly #app: App
  readonly #turns: Turns
  readonly #attempts: Attempts
  readonly shows: ShowTurn
  readonly #parts: RunParts
  readonly #chains = new Chains()
  readonly #runs = new Map<bigint, TurnRun>()
  readonly #stopping = new AbortController()
  readonly #aborted = new AbortController()

  constructor(app: App, turns: Turns, afterAnswer: RunParts['afterAnswer']) {
    const { models, spend, settings } = app
    const stopping = this.#stopping.signal
    const { costNotes } = spend
    const costs = new TurnCosts({ models, costNotes, maxTokens: settings.maxTokens })
    const requests = new TurnRequests(app, turns, costs)
    const shows = new ShowTurn(app, turns)
    this.#app = app
    this.#turns = turns
    this.#attempts = new Attempts(app, { turns, requests })
    this.shows = shows
    this.#parts = {
      app,
      turns,
      queue: app.openQueue('chat', stopping),
      requests,
      ends: new TurnEnds(app, { turns, costs, requests }),
      shows,
      limited: atMost(BEGINNING_MAX),
      afterAnswer,
      stopping,
      aborted: this.#aborted.signal,
    }
  }

  /** Begins and starts the turn of a message. Safe to repeat. `readPrompt` returns undefined if nothing is asked. */
  async reply(
    asked: Pick<Prompt, 'chatId' | 'messageId'>,
    readPrompt: () => Promise<Prompt | undefined>,
    { isLate, isFirst }: ReplyFacts,
  ): Promise<void> {
    // A new message has no turn, or its beginning finds the turn.
    const known = isFirst ? undefined : await this.#turns.findOf(asked)
    if (known !== undefined) return this.resume(known)
    const prompt = await readPrompt()
    if (prompt !== undefined) await this.#begin(prompt, { isLate })
  }

  /** Answers a question that the bot writes itself. Safe to repeat. Returns whether it was asked before. */
  async replyOnce(
    originKey: string,
    writePrompt: () => Promise<Prompt>,
    { isLate }: ReplyFacts,
  ): Promise<boolean> {
    const known = await this.#turns.find({ originKey })
    if (known === undefined) await this.#begin(await writePrompt(), { isLate, originKey })
    else this.resume(known)
    return known !== undefined
  }

  async #begin(
    prompt: Prompt,
    { isLate, originKey }: { isLate: boolean; originKey?: string },
  ): Promise<void> {
    const { models } = this.#app
    await models.ready()
    const how = {
      choice: models.choice(),
      heldReason: isLate ? 'late' : undefined,
      originKey,
    } as const
    const begun = await this.#turns.begin(prompt, how)
    const firstText = begun.isFirst ? prompt.text : undefined
    this.#start(begun.turn, begun.isBehind ? undefined : { turn: begun.turn, firstText })
  }

  resume(turn: Turn): void {
    if (nextStep(turn) === 'nothing') return
    const run = this.#runs.get(turn.id)
    if (run === undefined) this.#start(turn)
    // Its user was faster than the end of the run that asked.
    else if (turn.state === 'declined') void run.settled.then(() => this.#start(turn))
  }

  /** Resumes all turns that another process left or began, in order. Safe to repeat. */
  async resumeAll(): Promise<void> {
    for (const turn of await this.#turns.findUnended()) this.#start(turn, undefined, turn)
  }

  /** Records an edited prompt: a prompt that was not asked takes the new text, an asked one is offered to be run again. */
  async recordEdit({ chatId, messageId, text }: Prompt): Promise<void> {
    const all = await this.#attempts.ofMessage(chatId, messageId)
    const held = all.findLast(({ turn }) => turn.state === 'held')
    const asked = all.findLast(({ turn }) => turn.state !== 'held')
    if (held !== undefined) {
      if (held.text !== text) await this.#turns.changePrompt(held.turn.id, text)
      return this.resume(held.turn)
    }
    // A prompt that was asked with the new text already needs no offer.
    if (asked === undefined || asked.text === text) return
    if (await this.#mayChange(asked.turn, text)) return
    const offer = await this.#attempts.offerEdit(asked.turn, text)
    if (offer !== undefined) this.resume(offer)
  }

  async #mayChange(turn: Turn, text: string): Promise<boolean> {
    if (!isOpen(turn)) return false
    const change = () => this.#turns.changePrompt(turn.id, text)
    const run = this.#runs.get(turn.id)
    if (run !== undefined) return run.edit(change)
    if (turn.state === 'streaming') return false
    await change()
    return true
  }

  async retry(request: RetryRequest): Promise<'started' | 'not_yours' | 'running' | 'nothing'> {
    const turn = await this.#attempts.retryLast(request)
    if (typeof turn === 'string') return turn
    this.resume(turn)
    return 'started'
  }

  async decide(decided: Decided): Promise<Turn | 'not_yours' | 'gone'> {
    const turn = await this.#attempts.decide(decided)
    if (typeof turn !== 'string') this.resume(turn)
    return turn
  }

  /** Stops a turn: of this process at once, of another process by a mark in the database. */
  async stop(target: StopTarget, actor: Actor): Promise<StopOutcome> {
    const here = this.#find(target)
    if (here !== undefined) {
      if (!mayDecide(here.turn, actor)) return 'not_yours'
      here.stop()
      return 'stopped'
    }
    const turn = await this.#turns.findOpen(target)
    // It has just ended.
    if (turn === undefined || this.#runs.get(turn.id)?.phase === 'over') return 'nothing'
    if (!mayDecide(turn, actor)) return 'not_yours'
    // Something unexpected may have left it.
    if (await this.#turns.requestStop(turn.id)) this.#start(turn)
    return 'stopped'
  }

  async findRunning({ chatId, threadId }: ChatThread): Promise<{ id: bigint } | undefined> {
    const here = this.#find({ chatId, threadId })
    return here?.turn ?? this.#turns.findOpen({ chatId, threadId })
  }

  /** Begins nothing more, and waits for the turns that were asked. */
  async end(timeoutMs: number): Promise<void> {
    const { clock } = this.#app
    this.#stopping.abort(new StoppingError())
    void this.#watchStops()
    const ended = Array.from(this.#runs.values(), ({ settled }) => settled)
    if (await settleWithin(ended, timeoutMs, clock)) return
    this.#aborted.abort(new StoppingError())
    await settleWithin(ended, ABORT_MS)
  }

  #start(turn: RunnableTurn, fresh?: FreshTurn, { isShown = false } = {}): void {
    const { id, chatId, threadId, userId } = turn
    if (this.#runs.has(id)) return
    const thread = { chatId, threadId }
    const isFirst = !this.#chains.hasBefore(thread, id)
    const run = new TurnRun(this.#parts, { id, userId, ...thread }, isFirst ? fresh : undefined)
    this.#runs.set(id, run)
    void run.settled.then(() => this.#runs.delete(id))
    // The thread of a turn that is shown has moved on: only its cost is missing.
    if (isShown) void run.live(Promise.resolve())
    else this.#chains.add(thread, id, (before) => run.live(before))
  }

  #find(target: StopTarget): TurnRun | undefined {
    const { chatId } = target
    return [...this.#runs.values()].find(({ turn, phase }) => {
      if (turn.chatId !== chatId) return false
      if ('turnId' in target) return turn.id === target.turnId && phase !== 'over'
      return turn.threadId === target.threadId && phase === 'running'
    })
  }

  /** Another process is active and receives the stops of the turns that still run here. */
  async #watchStops(): Promise<void> {
    const { signal } = this.#aborted
    while (!signal.aborted && this.#runs.size > 0) {
      try {
        const ids = await this.#turns.findStopRequests([...this.#runs.keys()])
        for (const id of ids) this.#runs.get(id)?.stop()
      } catch (error) {
        this.#app.log.warn(errorFacts(error), 'stops of turns not read')
      }
      // The end aborts the sleep.
      await this.#app.clock.sleep(STOPS_EVERY_MS, signal).catch(() => {})
    }
  }
}
