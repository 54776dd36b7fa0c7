import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { toWireRub } from '../../contract/money.ts'
import type { Quote } from '../../contract/quote.ts'
import { UNKNOWN_MODEL } from '../chat/check-request.ts'
import type { CheckedChat } from '../chat/completion.ts'
import { mostBelieved } from '../chat/judge-usage.ts'
import { estimateHold } from '../ledger/hold-amount.ts'
import { mayUse } from '../ledger/keys/key-terms.ts'
import { Refusal } from './refusals.ts'

/** The query of a route that gives quotes, for the OpenAPI document. */
export const QUOTE_QUERY = Type.Object({
  quote: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'With `true` the answer is `{"quote": {"model", "estimate_rub", "most_rub"}}`: what the request is estimated ' +
        'at, and the most that it may cost; of a chat `prompt_tokens` and `max_tokens`, too. It is checked like any ' +
        'other; nothing is charged, and no limit counts it.',
    }),
  ),
})

/**
 * Checks whether a request asks for its price alone.
 *
 * @throws {Refusal} 422, if that cannot be told.
 */
export function wantsQuote({ query }: Pick<FastifyRequest, 'query'>): boolean {
  const { quote = 'false' } = query as { quote?: unknown }
  if (quote === 'true' || quote === 'false') return quote === 'true'
  throw new Refusal(422, [{ loc: ['query', 'quote'], msg: 'must be true or false' }])
}

/**
 * Tells what a creation would be charged. Its price is known.
 *
 * @throws {Refusal} 422, if it is not for the key.
 */
export function quoteTask(
  { label, priceMicroRub }: { label: string; priceMicroRub: bigint },
  { account }: Pick<FastifyRequest, 'account'>,
  model: string,
): Quote {
  if (!mayUse(account, model)) {
    throw new Refusal(422, [{ loc: ['body'], msg: `"${label}" is not on offer` }])
  }
  const price = toWireRub(priceMicroRub)
  return { quote: { model: label, estimate_rub: price, most_rub: price } }
}

/**
 * Tells what a chat would be held for, and the most that it would be settled at.
 *
 * @throws {Refusal} 422, if the model is not for the key.
 */
export function quoteChat(
  { model, promptTokens, maxTokens }: Pick<CheckedChat, 'model' | 'promptTokens' | 'maxTokens'>,
  { account }: Pick<FastifyRequest, 'account'>,
): Quote {
  if (!mayUse(account, model.id)) throw new Refusal(422, [UNKNOWN_MODEL])
  const { costMicroRub } = estimateHold(model, {
    promptTokens,
    maxTokens: maxTokens + model.thinkingTokens,
  })
  return {
    quote: {
      model: model.id,
      estimate_rub: toWireRub(costMicroRub),
      most_rub: toWireRub(mostBelieved(model, costMicroRub)),
      prompt_tokens: promptTokens,
      max_tokens: maxTokens,
    },
  }
}
