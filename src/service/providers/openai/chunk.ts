import { isJsonObject, parseJson } from '../../../http/json.ts'
import { isRejection } from '../judge-status.ts'
import { ProviderError, type ProviderUsage } from '../provider.ts'

/** No completion is this long; a larger count is a provider's mistake and would empty an account. */
const USAGE_TOKENS_MAX = 100_000_000

/** One event of an OpenAI-compatible stream, reduced to what a completion needs. */
export interface OpenAiChunk {
  /** Empty for chunks without text: the opening role, reasoning, usage. */
  text: string
  finishReason?: string
  usage?: ProviderUsage
  /** The provider gave up. `rejected` if it blames the request. */
  failure?: 'rejected' | 'unavailable'
}

/**
 * Reads the data of one event.
 *
 * @throws {SyntaxError} If it is no chunk.
 * @throws {ProviderError} `broken`, if its usage cannot be true.
 */
export function parseOpenAiChunk(data: string): OpenAiChunk {
  const chunk = parseJson(data)
  if (!isJsonObject(chunk)) throw new SyntaxError('Cannot read chunk: not a JSON object')
  if (!isMissing(chunk.error)) {
    return { text: '', failure: blamesRequest(chunk.error) ? 'rejected' : 'unavailable' }
  }

  const parsed: OpenAiChunk = { text: '' }
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  if (isJsonObject(choice)) {
    const content = isJsonObject(choice.delta) ? choice.delta.content : undefined
    if (typeof content === 'string') parsed.text = content
    else if (!isMissing(content)) {
      throw new SyntaxError('Cannot read chunk: content is not a text')
    }
    // Some gateways report a failure only here.
    if (choice.finish_reason === 'error') parsed.failure = 'unavailable'
    else if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      parsed.finishReason = choice.finish_reason
    }
  }
  const usage = parseUsage(chunk.usage)
  if (usage !== undefined) parsed.usage = usage
  return parsed
}

function blamesRequest(error: unknown): boolean {
  if (!isJsonObject(error)) return false
  return error.type === 'invalid_request_error' || isRejection(Number(error.code))
}

function parseUsage(usage: unknown): ProviderUsage | undefined {
  if (!isJsonObject(usage)) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage
  if (isMissing(promptTokens) || isMissing(completionTokens)) return undefined
  if (!isTokenCount(promptTokens) || !isTokenCount(completionTokens)) {
    throw new ProviderError('broken', 'The model answered with a token count that cannot be true.')
  }
  return { promptTokens, completionTokens }
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= USAGE_TOKENS_MAX
}
