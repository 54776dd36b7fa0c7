import type { CompletionRequest } from '../../contract/client/service-client.ts'
import { estimatePromptTokens } from '../../contract/token-estimate.ts'
import type { App } from '../context.ts'
import type { PromptSize, TurnCosts } from '../spend/costs.ts'
import type { LimitRefusal } from '../spend/limits.ts'
import {
  findOldestPart,
  type HistoryEntry,
  judgeContext,
  readHistory,
  SUMMARY_REQUEST,
  withSystemPrompt,
} from './history.ts'
import type { Turn } from './turn.ts'
import type { Turns } from './turns.ts'

/** The user took the turn back before it was asked. */
export class StopRequestedError extends Error {
  override readonly name = 'StopRequestedError'
  readonly code = 'stop_requested'

  constructor() {
    super('Cannot ask the service: the turn was stopped')
  }
}

/** The conversation, or its last message alone, is longer than the model can read. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError'
  readonly code: 'conversation_too_long' | 'message_too_long'

  constructor(code: TooLongError['code']) {
    super('Cannot ask the service: the request does not fit the context of the model')
    this.code = code
  }
}

/** The turn has a file that makes it dear, and its user has not seen the price. */
export class PriceUnseenError extends Error {
  override readonly name = 'PriceUnseenError'
  readonly code = 'price_unseen'
  readonly costMicroRub: bigint

  constructor(costMicroRub: bigint) {
    super('Cannot ask the service: the user has not seen the price')
    this.costMicroRub = costMicroRub
  }
}

/** About how long a request is, and how long its answer may be. */
export interface RequestSize extends PromptSize {
  answerTokens: number
  /** The limit that leaves no room for a longer one; undefined where it is as long as any. */
  boundBy?: LimitRefusal | undefined
}

/** The request to the model, and about how long it is. */
export interface TurnRequest {
  request: CompletionRequest
  size: RequestSize
}

export interface BuildOptions {
  /** The text of a turn that was begun just now and is the first of its conversation: no history is read for it. */
  firstText?: string | undefined
  isStopped: () => boolean
}

/** Builds the requests of turns, each from one reading of the history. */
export class TurnRequests {
  readonly #app: App
  readonly #turns: Turns
  readonly #costs: TurnCosts

  constructor(app: App, turns: Turns, costs: TurnCosts) {
    this.#app = app
    this.#turns = turns
    this.#costs = costs
  }

  /**
   * @throws {StopRequestedError} If the turn is not wanted any more.
   * @throws {TooLongError} If the model cannot read it.
   * @throws {PriceUnseenError} If its user is to be asked first.
   * @throws {LimitReachedError} If a limit leaves no room for it.
   */
  async build(turn: Turn, { firstText, isStopped }: BuildOptions): Promise<TurnRequest> {
    const { systemPrompt, maxTokens } = this.#app.settings
    const history =
      firstText === undefined ? await this.#historyOf(turn) : [toEntry(turn.id, firstText)]
    const messages = withSystemPrompt(history, systemPrompt)
    const promptTokens = estimatePromptTokens(messages)
    const own = ownPart(history)
    const ownTokens = estimatePromptTokens(withSystemPrompt(own, systemPrompt))
    await this.#checkLength(turn, { promptTokens, ownTokens })
    if (turn.asksPrice) {
      const costMicroRub = await this.#costs.nextToShow(turn, { promptTokens, answer: '' })
      if (costMicroRub !== undefined) throw new PriceUnseenError(costMicroRub)
    }
    if (isStopped()) throw new StopRequestedError()
    const { estimate, leastMicroRub } = this.#need(turn, promptTokens)
    const granted = await this.#turns.recordRequest(turn.id, estimate, leastMicroRub)
    if (granted === undefined) throw new StopRequestedError()
    const { boundBy } = granted
    const answerTokens =
      boundBy === undefined
        ? maxTokens
        : this.#costs.answerTokens(turn.model, promptTokens, granted.amountMicroRub)
    const request = { model: turn.model, messages, maxTokens: answerTokens }
    const historyMessages = history.length - own.length
    return { request, size: { promptTokens, ownTokens, historyMessages, answerTokens, boundBy } }
  }

  /** Reserves the cost of a turn that waits for the service. Where no limit holds, no conversation is read for it. */
  async reserve(turn: Turn): Promise<void> {
    if (!(await this.#app.spend.limits.mayHold(turn))) return
    const { estimate, leastMicroRub } = this.#need(turn, await this.estimatePrompt(turn))
    await this.#turns.reserve(turn.id, estimate, leastMicroRub)
  }

  async estimatePrompt(turn: Turn): Promise<number> {
    return this.#tokensOf(await this.#historyOf(turn))
  }

  async findOldest(turn: Turn): Promise<bigint[]> {
    const { systemPrompt, maxTokens } = this.#app.settings
    const contextTokens = this.#app.models.contextTokens(turn.model) ?? Number.POSITIVE_INFINITY
    const history = await this.#historyOf(turn)
    const refusedTokens = turn.requests > 0 ? this.#tokensOf(history) : Number.POSITIVE_INFINITY
    const tokensMax = Math.min(contextTokens - maxTokens, refusedTokens - 1)
    return findOldestPart(history, { systemPrompt, tokensMax })
  }

  async #checkLength(
    turn: Turn,
    { promptTokens, ownTokens }: Pick<PromptSize, 'promptTokens' | 'ownTokens'>,
  ): Promise<void> {
    const isAnswer = turn.kind === 'answer'
    const fit = judgeContext({
      promptTokens,
      // A summary cannot leave out any of the messages that it sums up.
      ownTokens: isAnswer ? ownTokens : promptTokens,
      maxTokens: this.#app.settings.maxTokens,
      contextTokens: this.#app.models.contextTokens(turn.model),
    })
    if (fit.type === 'conversation_too_long' || fit.type === 'message_too_long') {
      throw new TooLongError(fit.type)
    }
    if (fit.type === 'nearly_full' && isAnswer) await this.#turns.warnOnce(turn, fit.percent)
  }

  #need({ kind, model }: Turn, promptTokens: number) {
    const estimate = this.#costs.estimate(model, promptTokens)
    // A summary that is cut short sums up nothing.
    const leastMicroRub = kind === 'answer' ? this.#costs.least(model, promptTokens) : undefined
    return { estimate, leastMicroRub }
  }

  #tokensOf(history: readonly HistoryEntry[]): number {
    return estimatePromptTokens(withSystemPrompt(history, this.#app.settings.systemPrompt))
  }

  async #historyOf(turn: Turn): Promise<HistoryEntry[]> {
    const { id, kind, conversationId } = turn
    const history = await readHistory(this.#app.prisma, { conversationId, turn })
    if (kind === 'answer') return history
    return [...history, { turnId: id, message: SUMMARY_REQUEST, isSummary: false }]
  }
}

function toEntry(turnId: bigint, content: string): HistoryEntry {
  return { turnId, message: { role: 'user', content }, isSummary: false }
}

/** Returns the last message and what is read with it even if nothing came before: the conversation's instruction. */
function ownPart(history: readonly HistoryEntry[]): HistoryEntry[] {
  return history.filter(({ turnId }, index) => turnId === null || index === history.length - 1)
}
