import { isJsonObject, type JsonObject, parseJson } from '../../../platform/http/json.ts'
import { type FailureKind, isOutOfMoney, toFailureKind } from '../failure.ts'
import { isRejection } from '../judge-status.ts'
import type { AnswerPiece, ToolCallPiece, Usage } from '../provider.ts'

/** One event of an OpenAI-compatible stream, or a whole answer, reduced to what a completion needs. */
export interface OpenAiChunk {
  /** Missing in an event that adds nothing to the answer: the opening role, the usage. */
  piece?: AnswerPiece
  finishReason?: string
  usage?: Usage
  failure?: { kind: FailureKind; isRejected: boolean }
}

const OVERLOADED = { kind: 'overloaded', isRejected: false } as const

/**
 * Reads the data of one event.
 *
 * @throws {SyntaxError} If it is no chunk.
 */
export function parseOpenAiChunk(data: string): OpenAiChunk {
  return parse(data, 'delta')
}

/**
 * Reads the body of a plain answer.
 *
 * @throws {SyntaxError} If it is none.
 */
export function parseOpenAiCompletion(body: string): OpenAiChunk {
  return parse(body, 'message')
}

function parse(json: string, holder: 'delta' | 'message'): OpenAiChunk {
  const what = holder === 'delta' ? 'chunk' : 'completion'
  const chunk = parseJson(json)
  if (!isJsonObject(chunk)) throw new SyntaxError(`Cannot read ${what}: not a JSON object`)
  if (!isMissing(chunk.error)) return { failure: judgeError(chunk.error) }

  const parsed: OpenAiChunk = {}
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  if (isJsonObject(choice)) {
    const held = choice[holder]
    const piece = isJsonObject(held) ? parsePiece(held, choice.logprobs, what) : undefined
    if (piece !== undefined) parsed.piece = piece
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

function parsePiece(
  { content, reasoning_content, reasoning, refusal, tool_calls }: JsonObject,
  logprobs: unknown,
  what: string,
): AnswerPiece | undefined {
  const text = toText(content)
  if (text === undefined) throw new SyntaxError(`Cannot read ${what}: content is not a text`)
  // Two names are in use, and some upstreams write both.
  const thought = toText(reasoning_content) || toText(reasoning)
  const refused = toText(refusal)
  const calls = parseToolCalls(tool_calls, what)
  if (text === '' && !thought && !refused && calls === undefined) return undefined
  return {
    text,
    ...(thought && { reasoning: thought }),
    ...(refused && { refusal: refused }),
    ...(calls !== undefined && { toolCalls: calls }),
    ...(isJsonObject(logprobs) && { logprobs }),
  }
}

function parseToolCalls(calls: unknown, what: string): ToolCallPiece[] | undefined {
  if (isMissing(calls) || (Array.isArray(calls) && calls.length === 0)) return undefined
  if (!Array.isArray(calls)) throw new SyntaxError(`Cannot read ${what}: tool_calls is not a list`)
  return calls.map((call: unknown, position) => {
    const { index = position, function: called = {} } = isJsonObject(call) ? call : {}
    if (!isJsonObject(call) || !isCount(index) || !isJsonObject(called)) {
      throw new SyntaxError(`Cannot read ${what}: a tool call is not one`)
    }
    if (toText(called.name) === undefined || toText(called.arguments) === undefined) {
      throw new SyntaxError(`Cannot read ${what}: a tool call has no text for its arguments`)
    }
    return { ...call, index, function: called }
  })
}

function toText(value: unknown): string | undefined {
  if (isMissing(value)) return ''
  return typeof value === 'string' ? value : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
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

function parseUsage(usage: unknown): Usage | undefined {
  if (!isJsonObject(usage)) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage
  if (isMissing(promptTokens) || isMissing(completionTokens)) return undefined
  const cached = findCachedTokens(usage)
  const { completion_tokens_details: details } = usage
  const reasoningTokens = isJsonObject(details) ? details.reasoning_tokens : undefined
  return {
    promptTokens: toNumber(promptTokens),
    ...(!isMissing(cached) && { cachedTokens: toNumber(cached) }),
    completionTokens: toNumber(completionTokens),
    ...(isCount(reasoningTokens) && { reasoningTokens }),
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
