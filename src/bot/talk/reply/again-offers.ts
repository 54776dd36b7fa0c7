import { estimateTokens } from '../../../contract/token-estimate.ts'
import type { Models } from '../../models/models.ts'
import type { Turn } from '../turns/turn.ts'
import { chooseOthers, type PricedModel } from './choose-others.ts'

/** A model with which an answer may be given again. */
export interface AgainOffer {
  model: string
  isSame: boolean
  costMicroRub?: bigint
}

export interface AgainOffersDeps {
  models: Pick<Models, 'known' | 'price'>
  estimatePrompt: (turn: Turn) => Promise<number>
  maxTokens: number
}

/** Finds the models with which an answer may be given again, and their prices. */
export function createAgainOffers({ models, estimatePrompt, maxTokens }: AgainOffersDeps) {
  return { offersFor }

  /**
   * Returns the model that answered, while the service has it, then others. A model that is not set up right is
   * not offered again. Others without a price, free ones or those whose prices are not known, are offered where none
   * has one, or as the only way on from a failure.
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
    const fitting = known
      .filter(
        ({ contextTokens = Number.POSITIVE_INFINITY }) =>
          tokens.promptTokens + maxTokens <= contextTokens,
      )
      .map(({ id }) => ({ id, costMicroRub: models.price(id, tokens) }))
    const priced = fitting.filter(({ costMicroRub }) => costMicroRub > 0n)
    const hasOther = priced.some(({ id }) => id !== turn.model)
    const isPriceless = priced.length === 0 || (isFailed && !hasOther)
    const others = chooseOthers(turn.model, isPriceless ? fitting : priced)
    const isListed = !isFailed && known.some(({ id }) => id === turn.model)
    const own = priced.find(({ id }) => id === turn.model) ?? { id: turn.model, costMicroRub: 0n }
    return [...(isListed ? [toOffer(own, true)] : []), ...others.map((one) => toOffer(one, false))]
  }
}

export type AgainOffers = ReturnType<typeof createAgainOffers>

function toOffer({ id, costMicroRub }: PricedModel, isSame: boolean): AgainOffer {
  return { model: id, isSame, ...(costMicroRub > 0n && { costMicroRub }) }
}
