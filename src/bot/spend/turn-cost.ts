import type { CompletionFacts, Usage } from '../../contract/client/read-answers.ts'
import { ServiceError } from '../../contract/client/service-error.ts'
import { addHoldMargin, estimateTokens } from '../../contract/token-estimate.ts'
import type { ModelPrices, Models } from '../models.ts'
import { type CostNotes, isShown, type NotedTurn } from './cost-notes.ts'

/** A million roubles. The whole context of the dearest model costs a hundredth: a larger amount is a mistake. */
const CHARGE_MICRO_RUB_MAX = 1_000_000_000_000n

function isChargeAmount(amountMicroRub: bigint): boolean {
  return amountMicroRub >= 0n && amountMicroRub <= CHARGE_MICRO_RUB_MAX
}

/**
 * Returns the amount of a charge.
 *
 * @throws {RangeError} If no charge can be of this amount.
 */
export function checkChargeAmount(amountMicroRub: bigint): bigint {
  if (isChargeAmount(amountMicroRub)) return amountMicroRub
  const problem = amountMicroRub < 0n ? 'negative' : 'above a million roubles'
  throw new RangeError(`Cannot record charge: the amount is ${problem}`)
}

/** The cost of one request of a turn for its user. */
export interface TurnCost {
  amountMicroRub: bigint
  estimated: boolean
  usage?: Usage | undefined
  history?: { tokens: number; messages: number } | undefined
  prices?: ModelPrices | undefined
  requestId?: string | undefined
  /** What the service may have kept beside it: its user does not pay that. */
  writtenOffMicroRub?: bigint | undefined
}

/** About how long a request is. */
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

/** An answer of fewer tokens is not worth asking for. */
const ANSWER_TOKENS_MIN = 128

export interface TurnCostsDeps {
  models: Pick<Models, 'price' | 'pricesOf' | 'thinkingTokens'>
  costNotes: Pick<CostNotes, 'ofTurn'>
  maxTokens: number
}

/** Finds the cost of turns, whether the service reported it or not. */
export function createTurnCosts({ models, costNotes, maxTokens }: TurnCostsDeps) {
  return { reported, shown, estimate, least, answerTokens, nextToShow }

  /** What no answer can have cost is not believed. */
  function reported(
    { costMicroRub, usage: counted, requestId }: ReportedFacts,
    model: string,
    size?: PromptSize,
  ): TurnCost | undefined {
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
   * The cost of a request whose end nobody can know any more. Its user pays for the text that was shown, and its
   * prompt, by their estimated tokens; for nothing where none was. The rest of what the service may keep is written off.
   */
  function shown(model: string, { text, promptTokens, keptMicroRub }: ShownAnswer): TurnCost {
    const tokens = { promptTokens, completionTokens: estimateTokens(text) }
    const price = text.trim() === '' ? 0n : models.price(model, tokens)
    const amountMicroRub = price < keptMicroRub ? price : keptMicroRub
    const writtenOffMicroRub = keptMicroRub - amountMicroRub
    return { amountMicroRub, writtenOffMicroRub, estimated: true, prices: models.pricesOf(model) }
  }

  /**
   * The amount that the service keeps of an answer that broke is its estimate, which is the prompt's tokens and
   * all the tokens that the answer, and what the model thinks before, might have had.
   *
   * @param promptTokens As they are estimated, without a margin.
   * @param answerTokens How long the answer may be: as long as any by default.
   */
  function estimate(model: string, promptTokens: number, answerTokens = maxTokens): TurnCost {
    const completionTokens = answerTokens + models.thinkingTokens(model)
    const tokens = { promptTokens: addHoldMargin(promptTokens), completionTokens }
    const amountMicroRub = models.price(model, tokens)
    return { amountMicroRub, estimated: true, prices: models.pricesOf(model) }
  }

  function least(model: string, promptTokens: number): bigint {
    return estimate(model, promptTokens, Math.min(ANSWER_TOKENS_MIN, maxTokens)).amountMicroRub
  }

  function answerTokens(model: string, promptTokens: number, amountMicroRub: bigint): number {
    let least = Math.min(ANSWER_TOKENS_MIN, maxTokens)
    let most = maxTokens
    while (least < most) {
      const middle = Math.ceil((least + most) / 2)
      const isPaid = estimate(model, promptTokens, middle).amountMicroRub <= amountMicroRub
      if (isPaid) least = middle
      else most = middle - 1
    }
    return least
  }

  async function nextToShow(
    turn: NotedTurn & { model: string },
    { promptTokens, answer }: { promptTokens: number; answer: string },
  ): Promise<bigint | undefined> {
    const tokens = { promptTokens: promptTokens + estimateTokens(answer), completionTokens: 0 }
    const costMicroRub = models.price(turn.model, tokens)
    if (costMicroRub === 0n) return undefined
    return isShown(costMicroRub, await costNotes.ofTurn(turn)) ? costMicroRub : undefined
  }
}

type ReportedFacts = Pick<CompletionFacts, 'costMicroRub' | 'usage'> & { requestId?: string }

/** More tokens than any model reads: what is counted so is no usage, and no column of ours holds it. */
const TOKENS_MAX = 1_000_000_000

function isPossible({ promptTokens, completionTokens }: Usage): boolean {
  return promptTokens <= TOKENS_MAX && completionTokens <= TOKENS_MAX
}

/** The service reports the whole prompt's tokens: they are shared out as the estimates of its parts are. */
function historyOf(
  { promptTokens: counted }: Usage,
  { promptTokens, ownTokens, historyMessages: messages }: PromptSize,
): TurnCost['history'] {
  return { tokens: Math.round((counted * (promptTokens - ownTokens)) / promptTokens), messages }
}

export type TurnCosts = ReturnType<typeof createTurnCosts>

/**
 * Checks whether the service may have charged for an answer that failed.
 *
 * It has when the answer broke off, or when it is unknown what became of the request. A refusal
 * charges nothing, or gives back what it took.
 */
export function mayBeCharged(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  switch (error.code) {
    case 'stream_broken':
    case 'outcome_unknown':
      return true
    case 'unexpected_answer':
      return error.status !== undefined && error.status >= 200 && error.status < 300
    default:
      return false
  }
}
