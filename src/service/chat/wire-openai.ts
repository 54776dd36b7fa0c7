import { randomUUID } from 'node:crypto'
import { STREAM_DONE } from '../../contract/chat.ts'
import type { OpenAiCompletion, OpenAiCompletionChunk, OpenAiError } from '../../contract/openai.ts'
import type { JsonObject } from '../../platform/http/json.ts'
import type { AnswerPiece, FinishReason, ToolCallPiece } from '../providers/provider.ts'
import type { CompletionCost } from './price.ts'
import { type ChatWire, type CreateChatWire, toCost, toEvent } from './wire.ts'

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
    const { text, reasoning, refusal, logprobs = null } = answer
    const toolCalls = answer.toolCalls?.map(toToolCall) ?? []
    const message = {
      role: 'assistant',
      content: text === '' && toolCalls.length > 0 ? null : text,
      ...(reasoning && { reasoning_content: reasoning }),
      refusal: refusal || null,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    } as const
    const finish_reason = toFinishReason(finishReason, toolCalls.length > 0)
    const choices = [{ index: 0, message, logprobs, finish_reason }] as const
    return { ...this.#head, object: 'chat.completion', choices: [...choices], ...toCost(cost) }
  }

  delta({ text, reasoning, refusal, toolCalls, logprobs }: AnswerPiece): string {
    const isText = (reasoning ?? refusal ?? toolCalls ?? logprobs) === undefined
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
    return this.#write(delta, null, logprobs)
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
    logprobs?: JsonObject,
  ): string {
    const choice = { index: 0, delta, ...(logprobs && { logprobs }), finish_reason } as const
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
