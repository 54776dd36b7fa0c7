import { randomUUID } from 'node:crypto'
import {
  type ChatChunk,
  type ChatResponse,
  type ChatStreamError,
  type ChatUsage,
  STREAM_DONE,
} from '../../contract/chat.ts'
import { toWireRub } from '../../contract/money.ts'
import type { OpenAiCompletion, OpenAiCompletionChunk, OpenAiError } from '../../contract/openai.ts'
import type { JsonObject } from '../../platform/http/json.ts'
import type {
  AnswerPiece,
  FinishReason,
  ProviderUsage,
  ToolCallPiece,
} from '../providers/provider.ts'
import type { CompletionCost } from './price.ts'
import type { CompletionRun } from './run.ts'

export type CreateChatWire = (run: Pick<CompletionRun, 'requestId' | 'modelId'>) => ChatWire

export interface ChatWire {
  plain(answer: AnswerPiece, finishReason: FinishReason, cost: CompletionCost): object
  delta(delta: AnswerPiece): string
  end(finishReason: FinishReason, cost: CompletionCost): string
  error(message: string): string
}

/** Writes answers in the interface's shape. A delta costs one `JSON.stringify()` of its text. */
export const createInterfaceWire: CreateChatWire = ({ requestId, modelId }) => {
  const head = { id: requestId, object: 'chat.completion.chunk', model: modelId } as const
  const beforeText = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[{"index":0,"delta":{"content":`
  const afterText = '},"finish_reason":null}]}\n\n'
  return { plain, delta, end, error }

  function plain(
    { text, reasoning }: AnswerPiece,
    finishReason: FinishReason,
    cost: CompletionCost,
  ): ChatResponse {
    return {
      request_id: requestId,
      model: modelId,
      content: text,
      ...(reasoning && { reasoning_content: reasoning }),
      finish_reason: finishReason,
      ...toCosts(cost),
    }
  }

  /** A thought has a text, too: readers expect one in every chunk but the last. */
  function delta({ text, reasoning, refusal }: AnswerPiece): string {
    const thought = reasoning ? `,"reasoning_content":${JSON.stringify(reasoning)}` : ''
    const refused = refusal ? `,"refusal":${JSON.stringify(refusal)}` : ''
    return `${beforeText}${JSON.stringify(text)}${thought}${refused}${afterText}`
  }

  function end(finishReason: FinishReason, cost: CompletionCost): string {
    const choices = [{ index: 0, delta: {}, finish_reason: finishReason }]
    const chunk: ChatChunk = { ...head, choices, ...toCosts(cost) }
    return toEvent(chunk) + toEvent(STREAM_DONE)
  }

  function error(message: string): string {
    const event: ChatStreamError = { error: { message } }
    return toEvent(event)
  }
}

function toCosts(cost: CompletionCost) {
  const { usage, cost_rub } = toCost(cost)
  return { usage, cost_rub, cost_coins: cost_rub }
}

/** Returns the fields about the cost that both endpoints have. */
function toCost({ usage, costMicroRub }: CompletionCost) {
  return { usage: toUsage(usage), cost_rub: toWireRub(costMicroRub) }
}

function toUsage(usage: ProviderUsage): ChatUsage {
  const { promptTokens, completionTokens } = usage
  const { cachedTokens: cached_tokens, reasoningTokens: reasoning_tokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cached_tokens !== undefined && { prompt_tokens_details: { cached_tokens } }),
    ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
  }
}

function toEvent(data: object | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** Writes answers in OpenAI's shape. The part that all later deltas share is put into JSON once. */
export function createOpenAiWire(options: {
  includeUsage: boolean
  createdAt: Date
}): CreateChatWire {
  return ({ requestId, modelId }) => new OpenAiWire(requestId, modelId, options)
}

class OpenAiWire implements ChatWire {
  readonly #head
  readonly #includeUsage: boolean
  readonly #beforeText: string
  readonly #afterText: string
  readonly #calls = new Set<number>()
  #isFirst = true

  constructor(
    id: string,
    model: string,
    { includeUsage, createdAt }: { includeUsage: boolean; createdAt: Date },
  ) {
    const created = Math.floor(createdAt.getTime() / 1000)
    this.#head = { id, object: 'chat.completion.chunk', created, model } as const
    this.#includeUsage = includeUsage
    this.#beforeText = `data: ${JSON.stringify(this.#head).slice(0, -1)},"choices":[{"index":0,"delta":{"content":`
    this.#afterText = `},"finish_reason":null}]${includeUsage ? ',"usage":null' : ''}}\n\n`
  }

  plain(answer: AnswerPiece, finishReason: FinishReason, cost: CompletionCost): OpenAiCompletion {
    const { text, reasoning, refusal } = answer
    const toolCalls = answer.toolCalls?.map(toToolCall) ?? []
    const message = {
      role: 'assistant',
      content: text === '' && toolCalls.length > 0 ? null : text,
      ...(reasoning && { reasoning_content: reasoning }),
      refusal: refusal || null,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    } as const
    const finish_reason = toFinishReason(finishReason, toolCalls.length > 0)
    const choices = [{ index: 0, message, logprobs: null, finish_reason }] as const
    return { ...this.#head, object: 'chat.completion', choices: [...choices], ...toCost(cost) }
  }

  delta({ text, reasoning, refusal, toolCalls }: AnswerPiece): string {
    const isText = (reasoning ?? refusal ?? toolCalls) === undefined
    if (isText && !this.#isFirst) {
      return `${this.#beforeText}${JSON.stringify(text)}${this.#afterText}`
    }
    const delta = {
      ...(this.#isFirst && { role: 'assistant' as const }),
      ...(text !== '' && { content: text }),
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(refusal !== undefined && { refusal }),
      ...(toolCalls !== undefined && { tool_calls: toolCalls.map((call) => this.#toPiece(call)) }),
    }
    this.#isFirst = false
    return this.#write(delta, null)
  }

  end(finishReason: FinishReason, cost: CompletionCost): string {
    const reason = toFinishReason(finishReason, this.#calls.size > 0)
    // An answer without a word has its role here.
    const last = this.#write(this.#isFirst ? { role: 'assistant' } : {}, reason)
    const usage: OpenAiCompletionChunk = { ...this.#head, choices: [], ...toCost(cost) }
    return last + (this.#includeUsage ? toEvent(usage) : '') + toEvent(STREAM_DONE)
  }

  error(message: string): string {
    const error = { message, type: 'server_error', param: null, code: null }
    return toEvent({ error } satisfies OpenAiError)
  }

  /** Clients find a call by the id that its first piece has. */
  #toPiece(piece: ToolCallPiece): ToolCallPiece {
    const isKnown = this.#calls.has(piece.index)
    this.#calls.add(piece.index)
    return isKnown ? piece : { ...piece, ...toIdentity(piece) }
  }

  #write(
    delta: OpenAiCompletionChunk['choices'][number]['delta'],
    finish_reason: FinishReason | null,
  ): string {
    const choice = { index: 0, delta, finish_reason } as const
    const usage = this.#includeUsage ? { usage: null } : {}
    const chunk: OpenAiCompletionChunk = { ...this.#head, choices: [choice], ...usage }
    return toEvent(chunk)
  }
}

function toToolCall({ index: _, ...call }: ToolCallPiece) {
  const { name = '', arguments: given = '' } = call.function
  return { ...call, ...toIdentity(call), function: { ...call.function, name, arguments: given } }
}

/** Not every upstream names the calls that it makes. */
function toIdentity({ id, type }: JsonObject): { id: string; type: string } {
  return {
    id: typeof id === 'string' && id !== '' ? id : `call_${randomUUID()}`,
    type: typeof type === 'string' ? type : 'function',
  }
}

/** Some upstreams end calls by `stop`, but clients run tools only after `tool_calls`. */
function toFinishReason(finishReason: FinishReason, hasCalls: boolean): FinishReason {
  if (finishReason === 'length' || finishReason === 'content_filter') return finishReason
  return hasCalls ? 'tool_calls' : 'stop'
}
