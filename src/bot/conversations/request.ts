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
import { type Ending, NOT_ASKED, type Turn, type TurnHold } from './turn.ts'
import type { Turns } from './turns.ts'

/** The turn ends, or waits for its user's decision. */
export class NotAskedError extends Error {
  override readonly name = 'NotAskedError'
  readonly code = 'not_asked'
  readonly outcome: Ending | TurnHold

  constructor(outcome: Ending | TurnHold) {
    super('Cannot ask the service: the turn ends, or waits for its user')
    this.outcome = outcome
  }
}

export interface RequestSize extends PromptSize {
  answerTokens: number
  /** The limit that leaves no room for a longer answer. */
  boundBy?: LimitRefusal | undefined
}

export interface TurnRequest {
  request: CompletionRequest
  size: RequestSize
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
   * @param how `firstText`: the text of a turn that is the first of its conversation: no history is read for it.
   * @throws {NotAskedError} If it was stopped, is too long for the model, or its user is to see the price first.
   * @throws {LimitReachedError} If a limit leaves no room for it.
   */
  async build(
    turn: Turn,
    { firstText, isStopped }: { firstText?: string | undefined; isStopped: () => boolean },
  ): Promise<TurnRequest> {
    const { systemPrompt, maxTokens } = this.#app.settings
    const history =
      firstText === undefined ? await this.#historyOf(turn) : [toEntry(turn.id, firstText)]
    const messages = withSystemPrompt(history, systemPrompt)
    const promptTokens = estimatePromptTokens(messages)
    // The last message, and the instruction, which is read with it even if nothing came before.
    const own = history.filter(
      ({ turnId }, index) => turnId === null || index === history.length - 1,
    )
    const ownTokens = this.#tokensOf(own)
    this.#checkLength(turn, { promptTokens, ownTokens })
    if (turn.asksPrice) {
      const nextCostMicroRub = await this.#costs.nextToShow(turn, { promptTokens, answer: '' })
      if (nextCostMicroRub !== undefined) {
        throw new NotAskedError({ heldReason: 'price', nextCostMicroRub })
      }
    }
    if (isStopped()) throw new NotAskedError(NOT_ASKED)
    const estimate = this.#costs.estimate(turn.model, promptTokens)
    // A summary that is cut short sums up nothing.
    const leastMicroRub =
      turn.kind === 'answer' ? this.#costs.least(turn.model, promptTokens) : undefined
    const granted = await this.#turns.recordRequest(turn.id, estimate, leastMicroRub)
    if (granted === undefined) throw new NotAskedError(NOT_ASKED)
    const { boundBy, amountMicroRub } = granted
    const answerTokens =
      boundBy === undefined
        ? maxTokens
        : this.#costs.answerTokens(turn.model, promptTokens, amountMicroRub)
    const request = { model: turn.model, messages, maxTokens: answerTokens }
    const historyMessages = history.length - own.length
    return { request, size: { promptTokens, ownTokens, historyMessages, answerTokens, boundBy } }
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

  #checkLength(
    turn: Turn,
    { promptTokens, ownTokens }: Pick<PromptSize, 'promptTokens' | 'ownTokens'>,
  ): void {
    const isAnswer = turn.kind === 'answer'
    const fit = judgeContext({
      promptTokens,
      // A summary cannot leave out any of the messages that it sums up.
      ownTokens: isAnswer ? ownTokens : promptTokens,
      maxTokens: this.#app.settings.maxTokens,
      contextTokens: this.#app.models.contextTokens(turn.model),
    })
    if (fit === 'conversation_too_long') throw new NotAskedError({ heldReason: fit })
    if (fit === 'message_too_long') {
      throw new NotAskedError({ state: 'failed', errorCode: fit, cost: 'nothing' })
    }
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
