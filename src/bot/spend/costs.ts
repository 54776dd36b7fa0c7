/** The cost of turns: as reported, or as estimated. */
import type { CompletionFacts, Usage } from '../../contract/client/read-answers.ts'
import { ServiceError } from '../../contract/client/service-error.ts'
import { addHoldMargin, estimateTokens } from '../../contract/token-estimate.ts'
import type { ModelPrices, Models } from '../models.ts'
import { type CostNotes, isShown, type NotedTurn } from './cost-notes.ts'

/** A million roubles. The whole context of the dearest model costs a hundredth: a larger amount is a mistake. */
const CHARGE_MICRO_RUB_MAX = 1_000_000_000_000n
/** No model reads more tokens, and no column holds more. */
const TOKENS_MAX = 1_000_000_000
/** A shorter answer is not worth a request. */
const ANSWER_TOKENS_MIN = 128

/** A question of two or three sentences, and an answer of about 200 words in English or Russian. */
export const SHORT_TURN = { promptTokens: 50, completionTokens: 300 }

export interface TurnCost {
  amountMicroRub: bigint
  estimated: boolean
  usage?: Usage | undefined
  history?: { tokens: number; messages: number } | undefined
  prices?: ModelPrices | undefined
  requestId?: string | undefined
  /** The amount that the service may have kept and no user pays. */
  writtenOffMicroRub?: bigint | undefined
}

export interface PromptSize {
  promptTokens: number
  ownTokens: number
  historyMessages: number
}

/** An answer whose end is not known. */
export interface ShownAnswer {
  text: string
  promptTokens: number
  keptMicroRub: bigint
}

type ReportedFacts = Pick<CompletionFacts, 'costMicroRub' | 'usage'> & { requestId?: string }

export interface TurnCostsContext {
  models: Pick<Models, 'price' | 'pricesOf' | 'thinkingTokens'>
  costNotes: Pick<CostNotes, 'ofTurn'>
  maxTokens: number
}

export class TurnCosts {
  readonly #context: TurnCostsContext
  readonly #leastTokens: number

  constructor(context: TurnCostsContext) {
    this.#context = context
    this.#leastTokens = Math.min(ANSWER_TOKENS_MIN, context.maxTokens)
  }

  /** Ignores a cost or usage that no answer can have. */
  reported(
    { costMicroRub, usage: counted, requestId }: ReportedFacts,
    model: string,
    size?: PromptSize,
  ): TurnCost | undefined {
    const { models } = this.#context
    const usage = counted && isPossible(counted) ? counted : undefined
    const history = usage && size && historyOf(usage, size)
    const facts = { usage, history, requestId, prices: models.pricesOf(model) }
    if (costMicroRub !== undefined && isChargeAmount(costMicroRub)) {
      return { amountMicroRub: costMicroRub, estimated: false, ...facts }
    }
    if (usage === undefined) return undefined
    return { amountMicroRub: models.price(model, usage), estimated: true, ...facts }
  }

  /**
   * Returns the cost of a request whose end is unknown. Its user pays the estimated tokens of the shown text and its
   * prompt, or nothing without a text. The rest of what the service may keep is written off.
   */
  shown(model: string, { text, promptTokens, keptMicroRub }: ShownAnswer): TurnCost {
    const { models } = this.#context
    const tokens = { promptTokens, completionTokens: estimateTokens(text) }
    const price = text.trim() === '' ? 0n : models.price(model, tokens)
    const amountMicroRub = price < keptMicroRub ? price : keptMicroRub
    const writtenOffMicroRub = keptMicroRub - amountMicroRub
    return { amountMicroRub, writtenOffMicroRub, estimated: true, prices: models.pricesOf(model) }
  }

  /**
   * Returns what the service holds for a request, and keeps if its stream breaks: the prompt with a margin, the longest
   * answer and the longest thinking before it.
   *
   * @param promptTokens As they are estimated, without a margin.
   */
  estimate(model: string, promptTokens: number, answerTokens = this.#context.maxTokens): TurnCost {
    const { models } = this.#context
    const completionTokens = answerTokens + models.thinkingTokens(model)
    const tokens = { promptTokens: addHoldMargin(promptTokens), completionTokens }
    const amountMicroRub = models.price(model, tokens)
    return { amountMicroRub, estimated: true, prices: models.pricesOf(model) }
  }

  /** Returns the estimate of the shortest answer that is worth a request. */
  least(model: string, promptTokens: number): bigint {
    return this.estimate(model, promptTokens, this.#leastTokens).amountMicroRub
  }

  /** Returns the length of the longest answer that an amount pays for. */
  answerTokens(model: string, promptTokens: number, amountMicroRub: bigint): number {
    let least = this.#leastTokens
    let most = this.#context.maxTokens
    while (least < most) {
      const middle = Math.ceil((least + most) / 2)
      const isPaid = this.estimate(model, promptTokens, middle).amountMicroRub <= amountMicroRub
      if (isPaid) least = middle
      else most = middle - 1
    }
    return least
  }

  /** Returns the cost of the next message before its answer, if the user wants to read it. */
  async nextToShow(
    turn: NotedTurn & { model: string },
    { promptTokens, answer }: { promptTokens: number; answer: string },
  ): Promise<bigint | undefined> {
    const { models, costNotes } = this.#context
    const tokens = { promptTokens: promptTokens + estimateTokens(answer), completionTokens: 0 }
    const costMicroRub = models.price(turn.model, tokens)
    if (costMicroRub === 0n) return undefined
    return isShown(costMicroRub, await costNotes.ofTurn(turn)) ? costMicroRub : undefined
  }
}

function isChargeAmount(amountMicroRub: bigint): boolean {
  return amountMicroRub >= 0n && amountMicroRub <= CHARGE_MICRO_RUB_MAX
}

/** @throws {RangeError} If no charge can be of this amount. */
export function checkChargeAmount(amountMicroRub: bigint): bigint {
  if (isChargeAmount(amountMicroRub)) return amountMicroRub
  const problem = amountMicroRub < 0n ? 'negative' : 'above a million roubles'
  throw new RangeError(`Cannot record charge: the amount is ${problem}`)
}

function isPossible({ promptTokens, completionTokens }: Usage): boolean {
  return promptTokens <= TOKENS_MAX && completionTokens <= TOKENS_MAX
}

/** The service reports the tokens of the whole prompt: its parts get their shares by their estimates. */
function historyOf(
  { promptTokens: counted }: Usage,
  { promptTokens, ownTokens, historyMessages: messages }: PromptSize,
): TurnCost['history'] {
  return { tokens: Math.round((counted * (promptTokens - ownTokens)) / promptTokens), messages }
}

/** A broken stream or an unknown outcome may be charged; a refusal charges nothing, or refunds its hold. */
export function mayBeCharged(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  const { code, status = 0 } = error
  if (code === 'unexpected_answer') return status >= 200 && status < 300
  return code === 'stream_broken' || code === 'outcome_unknown'
}
