import { isJsonObject, type JsonObject, parseJson } from '../../../platform/http/json.ts'
import { type FailureKind, isOutOfMoney, toFailureKind } from '../failure.ts'
import { isRejection } from '../judge-status.ts'
import type { ProviderUsage } from '../provider.ts'

/** One event of an OpenAI-compatible stream, or a whole answer, reduced to what a completion needs. */
export interface OpenAiChunk {
  /** Empty for chunks without text: the opening role, reasoning, usage. */
  text: string
  finishReason?: string
  usage?: ProviderUsage
  /** The provider gave up. `isRejected` if it blames the request. */
  failure?: { kind: FailureKind; isRejected: boolean }
}

const OVERLOADED = { kind: 'overloaded', isRejected: false } as const

/**
 * Reads the data of one event.
 *
 * @throws {SyntaxError} If it is no chunk.
 */
export function parseOpenAiChunk(data: string): OpenAiChunk {
  return parseText(data, 'delta')
}

/**
 * Reads the body of a plain answer.
 *
 * @throws {SyntaxError} If it is none.
 */
export function parseOpenAiCompletion(body: string): OpenAiChunk {
  return parseText(body, 'message')
}

/** @param holder What its first choice has its text in. */
function parseText(json: string, holder: 'delta' | 'message'): OpenAiChunk {
  const what = holder === 'delta' ? 'chunk' : 'completion'
  const chunk = parseJson(json)
  if (!isJsonObject(chunk)) throw new SyntaxError(`Cannot read ${what}: not a JSON object`)
  if (!isMissing(chunk.error)) {
    return { text: '', failure: judgeError(chunk.error) }
  }

  const parsed: OpenAiChunk = { text: '' }
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  if (isJsonObject(choice)) {
    const held = choice[holder]
    const content = isJsonObject(held) ? held.content : undefined
    if (typeof content === 'string') parsed.text = content
    else if (!isMissing(content)) {
      throw new SyntaxError(`Cannot read ${what}: content is not a text`)
    }
    // Some gateways report a failure only here.
    if (choice.finish_reason === 'error') parsed.failure = OVERLOADED
    else if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') {
      parsed.finishReason = choice.finish_reason
    }
  }
  const usage = parseUsage(chunk.usage)
  if (usage !== undefined) parsed.usage = usage
  return parsed
}

/** Gateways put an HTTP status into `code`; OpenAI itself has words there, and in `type`. */
function judgeError(error: unknown): NonNullable<OpenAiChunk['failure']> {
  if (!isJsonObject(error)) return OVERLOADED
  const { type, code } = error
  const status = Number(code)
  if (status >= 400 && status < 600)
    return { kind: toFailureKind(status), isRejected: isRejection(status) }
  if (isOutOfMoney(String(code)) || isOutOfMoney(String(type))) {
    return { kind: 'unauthorized', isRejected: false }
  }
  if (type === 'invalid_request_error') return { kind: 'refused', isRejected: true }
  const isLimit = String(code).includes('rate_limit') || String(type).includes('rate_limit')
  return isLimit ? { kind: 'rate_limited', isRejected: false } : OVERLOADED
}

function parseUsage(usage: unknown): ProviderUsage | undefined {
  if (!isJsonObject(usage)) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage
  if (isMissing(promptTokens) || isMissing(completionTokens)) return undefined
  const cached = findCachedTokens(usage)
  return {
    promptTokens: toNumber(promptTokens),
    ...(!isMissing(cached) && { cachedPromptTokens: toNumber(cached) }),
    completionTokens: toNumber(completionTokens),
  }
}

/**
 * Finds the tokens of the prompt that were cached, as OpenAI tells them or as DeepSeek does.
 *
 * @see https://api-docs.deepseek.com/guides/kv_cache
 */
function findCachedTokens({ prompt_tokens_details: details, ...usage }: JsonObject): unknown {
  const cached = isJsonObject(details) ? details.cached_tokens : undefined
  return isMissing(cached) ? usage.prompt_cache_hit_tokens : cached
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN
}
