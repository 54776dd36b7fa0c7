import { randomUUID } from 'node:crypto'
import { STREAM_DONE } from '../../../contract/chat.ts'
import { toWireRub } from '../../../contract/money.ts'
import type {
  OpenAiCompletion,
  OpenAiCompletionChunk,
  OpenAiError,
} from '../../../contract/openai.ts'
import type { JsonObject } from '../../../platform/http/json.ts'
import type { AnswerPiece, FinishReason, ToolCallPiece } from '../../providers/provider.ts'
import type { CompletionCost } from '../price-answer.ts'
import { type CreateChatWire, toEvent, toWireUsage } from './chat-wire.ts'

/**
 * Writes answers in OpenAI's shape. The role stands in the first event, with the first text. The part that all
 * later deltas share is put into JSON once.
 *
 * @param includeUsage True if a stream ends with an event of its own for usage and cost.
 * @param createdAt When the request came.
 */
export function createOpenAiWire({
  includeUsage,
  createdAt,
}: {
  includeUsage: boolean
  createdAt: Date
}): CreateChatWire {
  return ({ requestId, modelId }) => {
    const created = Math.floor(createdAt.getTime() / 1000)
    const head = {
      id: requestId,
      object: 'chat.completion.chunk',
      created,
      model: modelId,
    } as const
    const beforeText = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[{"index":0,"delta":{"content":`
    const afterText = `},"finish_reason":null}]${includeUsage ? ',"usage":null' : ''}}\n\n`
    const calls = new Set<number>()
    let isFirst = true
    return { plain, delta, end, error }

    function plain(
      answer: AnswerPiece,
      finishReason: FinishReason,
      cost: CompletionCost,
    ): OpenAiCompletion {
      const { text, reasoning, refusal, logprobs = null } = answer
      const toolCalls = answer.toolCalls?.map(toToolCall) ?? []
      const message = {
        role: 'assistant',
        content: text === '' && toolCalls.length > 0 ? null : text,
        ...(reasoning && { reasoning_content: reasoning }),
        refusal: refusal || null,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      } as const
      return {
        ...head,
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message,
            logprobs,
            finish_reason: toFinishReason(finishReason, toolCalls.length > 0),
          },
        ],
        ...toWireCost(cost),
      }
    }

    function delta(piece: AnswerPiece): string {
      const { text, reasoning, refusal, toolCalls, logprobs } = piece
      const isText = (reasoning ?? refusal ?? toolCalls ?? logprobs) === undefined
      if (isText && !isFirst) return `${beforeText}${JSON.stringify(text)}${afterText}`
      const delta = {
        ...(isFirst && { role: 'assistant' as const }),
        ...(text !== '' && { content: text }),
        ...(reasoning !== undefined && { reasoning_content: reasoning }),
        ...(refusal !== undefined && { refusal }),
        ...(toolCalls !== undefined && { tool_calls: toolCalls.map(toPiece) }),
      }
      isFirst = false
      return write(delta, null, logprobs)
    }

    /** Clients find a call by the id that its first piece has. */
    function toPiece(piece: ToolCallPiece): ToolCallPiece {
      const isKnown = calls.has(piece.index)
      calls.add(piece.index)
      return isKnown ? piece : { ...piece, ...toIdentity(piece) }
    }

    function end(finishReason: FinishReason, cost: CompletionCost): string {
      // An answer without a word has its role here.
      const reason = toFinishReason(finishReason, calls.size > 0)
      const last = write(isFirst ? { role: 'assistant' } : {}, reason)
      const usage: OpenAiCompletionChunk = { ...head, choices: [], ...toWireCost(cost) }
      return last + (includeUsage ? toEvent(usage) : '') + toEvent(STREAM_DONE)
    }

    function write(
      delta: OpenAiCompletionChunk['choices'][number]['delta'],
      finish_reason: FinishReason | null,
      logprobs?: JsonObject,
    ): string {
      const choices: OpenAiCompletionChunk['choices'] = [
        { index: 0, delta, ...(logprobs && { logprobs }), finish_reason },
      ]
      const chunk: OpenAiCompletionChunk = {
        ...head,
        choices,
        ...(includeUsage && { usage: null }),
      }
      return toEvent(chunk)
    }
  }
}

function error(message: string): string {
  const event: OpenAiError = {
    error: { message, type: 'server_error', param: null, code: null },
  }
  return toEvent(event)
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

/** Some upstreams end calls by `stop`, and clients wait for the word before they do what they are asked. */
function toFinishReason(finishReason: FinishReason, hasCalls: boolean): FinishReason {
  if (finishReason === 'length' || finishReason === 'content_filter') return finishReason
  return hasCalls ? 'tool_calls' : 'stop'
}

function toWireCost({ usage, costMicroRub }: CompletionCost) {
  return { usage: toWireUsage(usage), cost_rub: toWireRub(costMicroRub) }
}
