import {
  type ChatChunk,
  type ChatStreamError,
  type ChatUsage,
  STREAM_DONE,
} from '../../contract/chat.ts'
import { toWireRub } from '../../contract/money.ts'
import type { ProviderUsage } from '../providers/provider.ts'
import type { CompletionCost } from './completion.ts'

/**
 * Writes the events of a stream, ready to be sent. What all deltas share is put into JSON once; a delta
 * costs one `JSON.stringify()` of its text.
 */
export function createWireEvents({ id, model }: { id: string; model: string }) {
  const head = `{"id":${JSON.stringify(id)},"object":"chat.completion.chunk","model":${JSON.stringify(model)},"choices":[{"index":0,"delta":{`
  const beforeText = `data: ${head}"content":`
  const afterText = '},"finish_reason":null}]}\n\n'
  return { delta, end, error }

  function delta(text: string): string {
    return `${beforeText}${JSON.stringify(text)}${afterText}`
  }

  /** The final chunk and the end of the stream. */
  function end(finishReason: string, { usage, costMicroRub }: CompletionCost): string {
    const costRub = toWireRub(costMicroRub)
    const chunk = toEvent({
      id,
      object: 'chat.completion.chunk',
      model,
      choices: [{ index: 0, delta: {}, finish_reason: finishReason }],
      usage: toWireUsage(usage),
      cost_rub: costRub,
      cost_coins: costRub,
    })
    return `${chunk}data: ${STREAM_DONE}\n\n`
  }

  function error(message: string): string {
    return toEvent({ error: { message } })
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
