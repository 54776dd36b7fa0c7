import type { ChatRequest, FieldProblem } from '../../contract/chat.ts'
import {
  featuresOf,
  fieldOf,
  type OpenAiParameters,
  type PromptMessage,
} from '../../contract/openai.ts'
import {
  estimateDefinitionTokens,
  estimatePromptTokens,
  leastPromptTokens,
} from '../../contract/token-estimate.ts'
import type { ServedModel, ServedModels } from './models.ts'
import { isAble } from './upstreams.ts'

export type CheckedRequest =
  | { model: ServedModel; maxTokens: number; promptTokens: number; problems?: never }
  | { problems: FieldProblem[] }

/** The problem of a request for a model that is not served, to any client or to its API key. */
export const UNKNOWN_MODEL: FieldProblem = {
  loc: ['body', 'model'],
  msg: 'is not one of GET /chats/models',
}

/**
 * A prompt whose estimate is so far above the context is refused here, at once and for nothing. Nearer to
 * it the estimate may be wrong, and the provider judges.
 */
const SURELY_TOO_LONG = 1.25

interface AskedRequest extends Pick<ChatRequest, 'model' | 'max_tokens'> {
  messages: readonly PromptMessage[]
  parameters?: OpenAiParameters
}

/** Checks what the schema of a chat request cannot: that the model is served, and that prompt and answer fit it. */
export function checkChatRequest(
  { model: modelId, max_tokens, messages, parameters = {} }: AskedRequest,
  models: ServedModels,
): CheckedRequest {
  const model = models.get(modelId)
  if (model === undefined) return { problems: [UNKNOWN_MODEL] }
  const unsupported = findUnsupported(model, parameters)
  if (unsupported !== undefined) return { problems: [unsupported] }
  const maxTokens = max_tokens ?? model.defaultMaxTokens
  if (maxTokens > model.contextTokens) {
    const msg = `must be at most ${model.contextTokens}, the context of the model`
    return { problems: [{ loc: ['body', 'max_tokens'], msg }] }
  }
  const tokensMax = model.contextTokens * SURELY_TOO_LONG
  // To count 32 million characters would keep others waiting.
  const leastTokens = leastPromptTokens(messages)
  const promptTokens =
    leastTokens > tokensMax
      ? leastTokens
      : estimatePromptTokens(messages) + estimateDefinitionTokens(parameters)
  if (promptTokens > tokensMax) {
    const msg = `must fit the context of the model, ${model.contextTokens} tokens; they take about ${promptTokens}${leastTokens > tokensMax ? ' or more' : ''}`
    return { problems: [{ loc: ['body', 'messages'], msg }] }
  }
  return { model, maxTokens, promptTokens }
}

/** Finds what a request needs, and no upstream of the model can do. */
export function findUnsupported(
  { upstreams }: Pick<ServedModel, 'upstreams'>,
  parameters: OpenAiParameters,
): FieldProblem | undefined {
  const features = featuresOf(parameters)
  if (upstreams.some((upstream) => isAble(upstream, features))) return undefined
  const lacking = features.find(
    (feature) => !upstreams.some((upstream) => isAble(upstream, [feature])),
  )
  const field = fieldOf(lacking ?? features[0] ?? 'tools')
  return { loc: ['body', field], msg: 'is not supported by the model' }
}
