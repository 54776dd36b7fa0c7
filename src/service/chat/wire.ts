import {
  type ChatChunk,
  type ChatStreamError,
  type ChatUsage,
  STREAM_DONE,
} from '../../contract/chat.ts'
import { toWireRub } from '../../contract/money.ts'
import type { ProviderUsage } from '../providers/provider.ts'
import type { CompletionCost } from './completions.ts'

/** The events of one stream, ready to be sent. */
export interface WireEvents {
  delta(text: string): string
  /** The final chunk and the end of the stream. */
  end(finishReason: string, cost: CompletionCost): string
  error(message: string): string
}

/**
 * Writes the events of a stream. What all deltas share is put into JSON once; a delta costs one
 * `JSON.stringify()` of its text.
 */
export function createWireEvents({ id, model }: { id: string; model: string }): WireEvents {
  const head = `{"id":${JSON.stringify(id)},"object":"chat.completion.chunk","model":${JSON.stringify(model)},"choices":[{"index":0,"delta":{`
  const beforeText = `data: ${head}"content":`
  const afterText = '},"finish_reason":null}]}\n\n'
  return {
    delta: (text) => `${beforeText}${JSON.stringify(text)}${afterText}`,
    end: (finishReason, cost) => {
      const chunk = toFinalChunk({ id, model, finishReason, cost })
      return `${toEvent(chunk)}data: ${STREAM_DONE}\n\n`
    },
    error: (message) => toEvent({ error: { message } }),
  }
}

function toFinalChunk({
  id,
  model,
  finishReason,
  cost,
}: {
  id: string
  model: string
  finishReason: string
  cost: CompletionCost
}): ChatChunk {
  const costRub = toWireRub(cost.costMicroRub)
  return {
    id,
    object: 'chat.completion.chunk',
    model,
    choices: [{ index: 0, delta: {}, finish_reason: finishReason }],
    usage: toWireUsage(cost.usage),
    cost_rub: costRub,
    cost_coins: costRub,
  }
}

export function toWireUsage({ promptTokens, completionTokens }: ProviderUsage): ChatUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}

function toEvent(data: ChatChunk | ChatStreamError): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
