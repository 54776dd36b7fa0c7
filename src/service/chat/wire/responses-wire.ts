import { toWireRub } from '../../../contract/money.ts'
import type { AskedResponse, OpenAiResponse } from '../../../contract/openai/response-answer.ts'
import type { JsonObject } from '../../../platform/http/json.ts'
import type { AnswerPiece, ProviderUsage } from '../../providers/provider.ts'
import type { CompletionCost } from '../price-answer.ts'
import type { CreateChatWire } from './chat-wire.ts'
import { toFinishReason } from './openai-wire.ts'
import { ResponseOutput } from './response-output.ts'

/**
 * Writes answers in the shape of OpenAI's Responses: an output of items, and events that name themselves.
 *
 * @param asked What an answer repeats of its request.
 * @param createdAt When the request came.
 */
export function createResponsesWire({
  asked,
  createdAt,
}: {
  asked: AskedResponse
  createdAt: Date
}): CreateChatWire {
  return ({ requestId, modelId }) => {
    const head = {
      id: `resp_${requestId}`,
      object: 'response',
      created_at: Math.floor(createdAt.getTime() / 1000),
      error: null,
      incomplete_details: null,
      model: modelId,
      previous_response_id: null,
      store: false,
      ...asked,
    } as const
    let sequence = 0
    const output = new ResponseOutput(write)
    return { plain, delta, end, error }

    function plain(
      answer: AnswerPiece,
      finishReason: string,
      cost: CompletionCost,
    ): OpenAiResponse {
      output.add(answer)
      output.end()
      return toWhole(finishReason, cost)
    }

    function delta(piece: AnswerPiece): string {
      return begin() + output.add(piece)
    }

    function end(finishReason: string, cost: CompletionCost): string {
      const rest = begin() + output.end()
      const response = toWhole(finishReason, cost)
      return rest + write(`response.${response.status}`, { response })
    }

    function error(message: string): string {
      return write('error', { code: 'server_error', message, param: null })
    }

    /** @returns The events before all others; nothing once they are out. */
    function begin(): string {
      if (sequence > 0) return ''
      const response: OpenAiResponse = { ...head, status: 'in_progress', output: [], usage: null }
      return write('response.created', { response }) + write('response.in_progress', { response })
    }

    function write(type: string, fields: JsonObject): string {
      const data = { type, sequence_number: sequence, ...fields }
      sequence += 1
      return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
    }

    function toWhole(finishReason: string, cost: CompletionCost): OpenAiResponse {
      const reason = REASONS[toFinishReason(finishReason, false)]
      return {
        ...head,
        status: reason === undefined ? 'completed' : 'incomplete',
        incomplete_details: reason === undefined ? null : { reason },
        output: output.items,
        usage: toUsage(cost.usage),
        cost_rub: toWireRub(cost.costMicroRub),
      }
    }
  }
}

/** Why a response is not complete; of the other reasons it is. */
const REASONS: Readonly<Record<string, 'max_output_tokens' | 'content_filter'>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function toUsage({
  promptTokens,
  cachedPromptTokens = 0,
  completionTokens,
  reasoningTokens = 0,
}: ProviderUsage): OpenAiResponse['usage'] {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedPromptTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}
