import { ServiceError } from '../../../client/errors.ts'
import type { CompletionFacts, Usage } from '../../../client/read-answers.ts'
import { addHoldMargin, estimateTokens } from '../../../contract/token-estimate.ts'
import type { Models } from '../../models.ts'
import type { CostNote } from '../cost-note.ts'

/** What a turn costs its user. */
export interface TurnCost {
  amountMicroRub: bigint
  estimated: boolean
  usage?: Usage | undefined
}

export interface TurnCostsDeps {
  models: Pick<Models, 'price'>
  costNote: Pick<CostNote, 'read'>
  maxTokens: number
}

/** What turns cost where the service told it, and where it did not. */
export function createTurnCosts({ models, costNote, maxTokens }: TurnCostsDeps) {
  return { told, estimate, nextToTell }

  /** The cost of a whole answer as far as the service told it; one that tells usage only is priced here. */
  function told(
    { costMicroRub, usage }: Pick<CompletionFacts, 'costMicroRub' | 'usage'>,
    model: string,
  ): TurnCost | undefined {
    if (costMicroRub !== undefined) return { amountMicroRub: costMicroRub, estimated: false, usage }
    if (usage === undefined) return undefined
    return { amountMicroRub: models.price(model, usage), estimated: true, usage }
  }

  /**
   * What the service keeps of an answer that broke: its estimate, which is the prompt's tokens and
   * all the tokens that the answer might have had.
   *
   * @param promptTokens As they are estimated, without a margin.
   */
  function estimate(model: string, promptTokens: number): TurnCost {
    const tokens = { promptTokens: addHoldMargin(promptTokens), completionTokens: maxTokens }
    return { amountMicroRub: models.price(model, tokens), estimated: true }
  }

  /**
   * About what the next message will cost for what stands before it, if that is so much that the
   * reply is to tell it. Estimated as `/usage` does.
   */
  async function nextToTell(
    model: string,
    { promptTokens, answer }: { promptTokens: number; answer: string },
  ): Promise<bigint | undefined> {
    const tokens = { promptTokens: promptTokens + estimateTokens(answer), completionTokens: 0 }
    const costMicroRub = models.price(model, tokens)
    if (costMicroRub === 0n) return undefined
    const fromMicroRub = await costNote.read()
    return fromMicroRub !== undefined && costMicroRub >= fromMicroRub ? costMicroRub : undefined
  }
}

/**
 * Whether the service may have charged for an answer that failed.
 *
 * It has when the answer broke off, or when nothing told what became of the request. A refusal
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
