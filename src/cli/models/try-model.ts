import {
  addHoldMargin,
  estimatePromptTokens,
  estimateTokens,
} from '../../contract/token-estimate.ts'
import { judgeUsage } from '../../service/chat/judge-usage.ts'
import { createServedModels, type ServedModel } from '../../service/chat/models.ts'
import type { Upstream } from '../../service/chat/upstreams.ts'
import { type OfferedModel, toServiceConfig } from '../../service/config/openai/offer-models.ts'
import { priceAtMost, priceTokens } from '../../service/ledger/price-tokens.ts'
import { GatheredAnswer } from '../../service/providers/gathered-answer.ts'
import { type AnswerPiece, ProviderError, type Usage } from '../../service/providers/provider.ts'
import type { ProviderAccess } from '../../service/providers/provider-http.ts'

const MESSAGES = [{ role: 'user', content: 'Hi' }] as const

/**
 * The most tokens of the answer, try after try. Models that think refuse one token: some take no less than 16, others
 * stop before they have said anything.
 *
 * @see https://github.com/vllm-project/guidellm/issues/370
 * @see https://github.com/spiceai/spiceai/issues/7126
 */
const MAX_TOKENS = [1, 1024] as const

export type ModelTrial =
  | { answers: true; usage: Usage; isEstimated: boolean; costMicroRub: bigint }
  /** Its own words, or what became of the connection. */
  | { answers: false; said: string }

/** Has a model of the operator's own key answer, as {@link tryUpstream} does. */
export async function tryModel(
  offered: OfferedModel,
  { apiKey, proxies }: Pick<ProviderAccess, 'apiKey' | 'proxies'>,
  signal: AbortSignal,
): Promise<ModelTrial> {
  const [model] = createServedModels(toServiceConfig([offered], { apiKey }), { proxies }).values()
  const [upstream] = model?.upstreams ?? []
  if (model === undefined || upstream === undefined) throw new TypeError('No model to try')
  return await tryUpstream({ model, upstream }, signal)
}

/** Has an upstream answer as a model, as shortly as it can, by the code that answers for the service. */
export async function tryUpstream(
  { model, upstream }: { model: ServedModel; upstream: Pick<Upstream, 'provider'> },
  signal: AbortSignal,
): Promise<ModelTrial> {
  let refusal = ''
  for (const maxTokens of MAX_TOKENS) {
    const answer = new GatheredAnswer()
    const take = (delta: AnswerPiece) => {
      answer.add(delta)
      return undefined
    }
    try {
      const request = { messages: MESSAGES, maxTokens }
      const finish = await upstream.provider.stream(request, signal, take)
      return price(finish.usage, { model, maxTokens, content: answer.written })
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      refusal = describe(error)
      // Another refusal has nothing to do with the length.
      if (error.failure?.status !== 400) break
    }
  }
  return { answers: false, said: refusal }
}

function price(
  reported: Usage | undefined,
  { model, maxTokens, content }: { model: ServedModel; maxTokens: number; content: string },
): ModelTrial {
  const promptTokens = estimatePromptTokens(MESSAGES)
  const held = { promptTokens: addHoldMargin(promptTokens), completionTokens: maxTokens }
  const verdict =
    reported && judgeUsage(reported, { model, heldMicroRub: priceAtMost(model.prices, held) })
  if (reported !== undefined && verdict?.isBelieved) {
    const { costMicroRub } = verdict
    return { answers: true, usage: reported, isEstimated: false, costMicroRub }
  }
  const usage = { promptTokens, completionTokens: estimateTokens(content) }
  return { answers: true, usage, isEstimated: true, costMicroRub: priceTokens(model.prices, usage) }
}

function describe({ failure, message }: ProviderError): string {
  const said = [failure?.status, failure?.explanation].filter((part) => part !== undefined)
  return said.length === 0 ? message : said.join(' ')
}
