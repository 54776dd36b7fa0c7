import { STREAM_DONE } from '../../../contract/chat.ts'
import { toWireRub } from '../../../contract/money.ts'
import type {
  OpenAiCompletion,
  OpenAiCompletionChunk,
  OpenAiFinishReason,
} from '../../../contract/openai/chat-answer.ts'
import type { OpenAiError } from '../../../contract/openai/error.ts'
import type { CompletionCost } from '../price-answer.ts'
import { type CreateChatWire, toEvent, toWireUsage } from './chat-wire.ts'

/** Reasons of providers that OpenAI's clients do not know; any other reason is an end like `stop`. */
const FINISH_REASONS: ReadonlyMap<string, OpenAiFinishReason> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['insufficient_system_resource', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
])

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
    let isFirst = true
    return { plain, delta, end, error }

    function plain(content: string, finishReason: string, cost: CompletionCost): OpenAiCompletion {
      const message = { role: 'assistant', content, refusal: null } as const
      return {
        ...head,
        object: 'chat.completion',
        choices: [
          { index: 0, message, logprobs: null, finish_reason: toFinishReason(finishReason) },
        ],
        ...toWireCost(cost),
      }
    }

    function delta(text: string): string {
      if (!isFirst) return `${beforeText}${JSON.stringify(text)}${afterText}`
      isFirst = false
      return write({ role: 'assistant', content: text }, null)
    }

    function end(finishReason: string, cost: CompletionCost): string {
      // An answer without a word has its role here.
      const last = write(isFirst ? { role: 'assistant' } : {}, toFinishReason(finishReason))
      const usage: OpenAiCompletionChunk = { ...head, choices: [], ...toWireCost(cost) }
      return last + (includeUsage ? toEvent(usage) : '') + toEvent(STREAM_DONE)
    }

    function write(
      delta: OpenAiCompletionChunk['choices'][number]['delta'],
      finish_reason: OpenAiFinishReason | null,
    ): string {
      const choices: OpenAiCompletionChunk['choices'] = [{ index: 0, delta, finish_reason }]
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

function toFinishReason(finishReason: string): OpenAiFinishReason {
  return FINISH_REASONS.get(finishReason.toLowerCase()) ?? 'stop'
}

function toWireCost({ usage, costMicroRub }: CompletionCost) {
  return { usage: toWireUsage(usage), cost_rub: toWireRub(costMicroRub) }
}
