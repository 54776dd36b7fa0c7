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
   * Returns the model that answered, while the service has it, then two others.
   *
   * The same request goes out, so that its tokens are known: as the service counted them for the answer that is
   * there, otherwise as they are estimated. The next answer is taken to be as long as that one.
   */
  async function offersFor(turn: Turn): Promise<AgainOffer[]> {
    const known = models.known()
    if (known.length === 0) return [{ model: turn.model, isSame: true }]
    const tokens = turn.usage ?? {
      promptTokens: await estimatePrompt(turn),
      completionTokens: estimateTokens(turn.answer ?? ''),
    }
    const priced = known.flatMap(({ id, contextTokens = Number.POSITIVE_INFINITY }) => {
      const costMicroRub = models.price(id, tokens)
      const canTake = tokens.promptTokens + maxTokens <= contextTokens
      return costMicroRub > 0n && canTake ? [{ id, costMicroRub }] : []
    })
    const own = known
      .filter(({ id }) => id === turn.model)
      .map(({ id: model }) => ({ model, isSame: true, ...costOf(priced, model) }))
    const others = chooseOthers(turn.model, priced).map(({ id: model, costMicroRub }) => ({
      model,
      isSame: false,
      costMicroRub,
    }))
    return [...own, ...others]
  }
}

export type AgainOffers = ReturnType<typeof createAgainOffers>

function costOf(priced: readonly PricedModel[], model: string): Pick<AgainOffer, 'costMicroRub'> {
  const found = priced.find(({ id }) => id === model)
  return found ? { costMicroRub: found.costMicroRub } : {}
}
