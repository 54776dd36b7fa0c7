import {
  type ChatChunk,
  type ChatResponse,
  type ChatStreamError,
  STREAM_DONE,
} from '../../../contract/chat.ts'
import { toWireRub } from '../../../contract/money.ts'
import type { AnswerPiece, FinishReason } from '../../providers/provider.ts'
import type { CompletionCost } from '../price-answer.ts'
import { type ChatWire, type CreateChatWire, toEvent, toWireUsage } from './chat-wire.ts'

/**
 * Writes answers as the interface document has them. The part that all deltas share is put into JSON once; a delta
 * costs one `JSON.stringify()` of its text.
 */
export const createInterfaceWire: CreateChatWire = ({ requestId, modelId }): ChatWire => {
  const id = JSON.stringify(requestId)
  const model = JSON.stringify(modelId)
  const head = `{"id":${id},"object":"chat.completion.chunk","model":${model},"choices":[{"index":0,"delta":{`
  const beforeText = `data: ${head}"content":`
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
      ...toWireCost(cost),
    }
  }

  /** A thought has a text, too: a reader may miss one in the last chunk alone. */
  function delta({ text, reasoning, refusal }: AnswerPiece): string {
    const thought = reasoning ? `,"reasoning_content":${JSON.stringify(reasoning)}` : ''
    const refused = refusal ? `,"refusal":${JSON.stringify(refusal)}` : ''
    return `${beforeText}${JSON.stringify(text)}${thought}${refused}${afterText}`
  }

  function end(finishReason: FinishReason, cost: CompletionCost): string {
    const chunk: ChatChunk = {
      id: requestId,
      object: 'chat.completion.chunk',
      model: modelId,
      choices: [{ index: 0, delta: {}, finish_reason: finishReason }],
      ...toWireCost(cost),
    }
    return toEvent(chunk) + toEvent(STREAM_DONE)
  }

  function error(message: string): string {
    const event: ChatStreamError = { error: { message } }
    return toEvent(event)
  }
}

function toWireCost({ usage, costMicroRub }: CompletionCost) {
  const costRub = toWireRub(costMicroRub)
  return { usage: toWireUsage(usage), cost_rub: costRub, cost_coins: costRub }
}
