import {
  type ChatChunk,
  type ChatResponse,
  type ChatStreamError,
  type ChatUsage,
  STREAM_DONE,
} from '../../contract/chat.ts'
import { toWireRub } from '../../contract/money.ts'
import type { AnswerPiece, FinishReason, Usage } from '../providers/provider.ts'
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
export function toCost({ usage, costMicroRub }: CompletionCost) {
  return { usage: toUsage(usage), cost_rub: toWireRub(costMicroRub) }
}

function toUsage(usage: Usage): ChatUsage {
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

export function toEvent(data: object | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}
