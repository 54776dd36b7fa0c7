import type { ChatUsage } from '../../../contract/chat.ts'
import type { AnswerPiece, FinishReason, Usage } from '../../providers/provider.ts'
import type { CompletionCost } from '../price-answer.ts'
import type { CompletionRun } from '../run.ts'

/** Makes the wire of one answer, which says in everything it writes which request and model that is. */
export type CreateChatWire = (run: Pick<CompletionRun, 'requestId' | 'modelId'>) => ChatWire

/** How one answer is written for its client. Events come ready to be sent. */
export interface ChatWire {
  plain(answer: AnswerPiece, finishReason: FinishReason, cost: CompletionCost): object
  delta(delta: AnswerPiece): string
  end(finishReason: FinishReason, cost: CompletionCost): string
  error(message: string): string
}

export function toWireUsage({
  promptTokens,
  cachedTokens: cached_tokens,
  completionTokens,
  reasoningTokens: reasoning_tokens,
}: Usage): ChatUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(cached_tokens !== undefined && { prompt_tokens_details: { cached_tokens } }),
    ...(reasoning_tokens !== undefined && { completion_tokens_details: { reasoning_tokens } }),
  }
}

/** Writes one event of a stream. */
export function toEvent(data: object | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}
