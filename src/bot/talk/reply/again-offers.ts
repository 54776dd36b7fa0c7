import { estimateTokens } from '../../../contract/token-estimate.ts'
import type { Models } from '../../models/models.ts'
import type { Turn } from '../turns/turn.ts'
import { chooseOthers, type PricedModel } from './choose-others.ts'

/** A model with which an answer may be given again. */
export interface AgainOffer {
  model: string
  /** True if it is the model that has answered. */
  isSame: boolean
  /** About what it costs; missing if the service gives no prices. */
  costMicroRub?: bigint
}

/** The number of other models without prices that are offered. */
const OTHERS_MAX = 2

export interface AgainOffersDeps {
  models: Pick<Models, 'known' | 'price'>
  /** About how many tokens the request of a turn had. */
  estimatePrompt: (turn: Turn) => Promise<number>
  maxTokens: number
}

/** Finds the models with which an answer may be given again, and their prices. */
export function createAgainOffers({ models, estimatePrompt, maxTokens }: AgainOffersDeps) {
  return { offersFor }

  /**
   * Returns the model that answered, while the service has it, then two others. A model that is not set up right is
   * not offered again, and others are without a price, too: free ones, or those whose prices are not known.
   *
   * The same request goes out, so that its tokens are known: as the service counted them for the answer that is
   * there, otherwise as they are estimated. The next answer is taken to be as long as that one.
   */
  async function offersFor(turn: Turn): Promise<AgainOffer[]> {
    const known = models.known()
    const isFailed = turn.state === 'failed'
    // Where the whole service is not set up right no model answers.
    if (isFailed && turn.errorCode !== 'model_misconfigured') return []
    if (known.length === 0) return isFailed ? [] : [{ model: turn.model, isSame: true }]
    const tokens = turn.usage ?? {
      promptTokens: await estimatePrompt(turn),
      completionTokens: estimateTokens(turn.answer ?? ''),
    }
    const fitting = known.filter(
      ({ contextTokens = Number.POSITIVE_INFINITY }) =>
        tokens.promptTokens + maxTokens <= contextTokens,
    )
    const priced = fitting.flatMap(({ id }) => {
      const costMicroRub = models.price(id, tokens)
      return costMicroRub > 0n ? [{ id, costMicroRub }] : []
    })
    const own = known
      .filter(({ id }) => id === turn.model)
      .map(({ id: model }) => ({ model, isSame: true, ...costOf(priced, model) }))
    const others = chooseOthers(turn.model, priced).map(({ id: model, costMicroRub }) => ({
      model,
      isSame: false,
      costMicroRub,
    }))
    if (!isFailed) return [...own, ...others]
    if (others.length > 0) return others
    const unpriced = fitting.filter(({ id }) => id !== turn.model).slice(0, OTHERS_MAX)
    return unpriced.map(({ id: model }) => ({ model, isSame: false }))
  }
}

export type AgainOffers = ReturnType<typeof createAgainOffers>

function costOf(priced: readonly PricedModel[], model: string): Pick<AgainOffer, 'costMicroRub'> {
  const found = priced.find(({ id }) => id === model)
  return found ? { costMicroRub: found.costMicroRub } : {}
}
