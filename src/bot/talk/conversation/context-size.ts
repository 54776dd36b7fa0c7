import { estimatePromptTokens } from '../../../contract/token-estimate.ts'
import type { HistoryEntry, ModelMessage } from './history.ts'

const WARN_PERCENT = 80
/** The part of the context that stays filled once room was made, so that the next message needs no question again. */
const AIR_PERCENT = 75

export interface ContextNeed {
  promptTokens: number
  /** The tokens of the request if it had no history. */
  ownTokens: number
  maxTokens: number
  contextTokens: number | undefined
}

/**
 * The answer to whether a request fits its model's context, its answer included. `nearly_full` fits, and the user
 * is to see it; `message_too_long` would not fit even without its history.
 */
export type ContextFit =
  | { type: 'fits' }
  | { type: 'nearly_full'; percent: number }
  | { type: 'conversation_too_long' | 'message_too_long' }

export function judgeContext(need: ContextNeed): ContextFit {
  const { promptTokens, ownTokens, maxTokens, contextTokens } = need
  if (contextTokens === undefined) return { type: 'fits' }
  if (ownTokens + maxTokens > contextTokens) return { type: 'message_too_long' }
  if (promptTokens + maxTokens > contextTokens) return { type: 'conversation_too_long' }
  const percent = Math.floor(((promptTokens + maxTokens) * 100) / contextTokens)
  return percent >= WARN_PERCENT ? { type: 'nearly_full', percent } : { type: 'fits' }
}

/**
 * The oldest turns, to be left out so that a conversation fits its model again: as many as it takes,
 * and some more for air, though for air alone never past half of it. A summary stays: it is short and
 * stands for much.
 *
 * @param history Ends with the turn that is to be answered, which stays.
 */
export function findOldestPart(
  history: readonly HistoryEntry[],
  { systemPrompt, tokensMax }: { systemPrompt: string | undefined; tokensMax: number },
): bigint[] {
  const tokensOf = (messages: ModelMessage[]) => estimatePromptTokens(messages)
  const all = tokensOf(withSystemPrompt(history, systemPrompt))
  const own = history.at(-1)?.turnId
  const leftOut = new Set<bigint>()
  let left = all
  for (const { turnId, message, isSummary } of history) {
    const isTurn = turnId !== null && turnId !== own && !isSummary
    if (!isTurn) continue
    if (!leftOut.has(turnId)) {
      const isForAir = left <= tokensMax
      if (isForAir && (left * 100 <= tokensMax * AIR_PERCENT || left * 2 <= all)) break
      leftOut.add(turnId)
    }
    left -= tokensOf([message])
  }
  return [...leftOut]
}

/** Returns the messages that the model reads of a history. */
export function withSystemPrompt(
  history: readonly HistoryEntry[],
  systemPrompt: string | undefined,
): ModelMessage[] {
  const messages = history.map(({ message }) => message)
  return systemPrompt ? [{ role: 'system', content: systemPrompt }, ...messages] : messages
}
