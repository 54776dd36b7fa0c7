import { estimatePromptTokens } from '../../../contract/token-estimate.ts'
import type { HistoryEntry } from '../../conversations/history.ts'
import { SUMMARY_REQUEST, SUMMARY_TOKENS, withSystemPrompt } from '../../conversations/history.ts'
import type { Models } from '../../models/models.ts'

/** The saving with each message from which on a summary is worth a tap. */
const SAVED_MIN_MICRO_RUB = 1_000_000n
const PAID_BACK_IN_MESSAGES = 3n

const ANSWERS_MIN = 3

/** A summary that pays. */
export interface SummaryOffer {
  model: string
  tokens: number
  beforeMicroRub: bigint
  afterMicroRub: bigint
  /** The cost of the summary. */
  onceMicroRub: bigint
}

export interface SummaryNeed {
  history: readonly HistoryEntry[]
  systemPrompt: string | undefined
  model: string
  maxTokens: number
}

/** Checks whether a summary, however cheap, can save a rouble with each message. */
export function mayPay(microRubPerMessage: bigint): boolean {
  return microRubPerMessage >= SAVED_MIN_MICRO_RUB
}

/**
 * Weighs the cost of a summary of a conversation against its saving.
 *
 * Each message pays for all that is sent again with it. After a summary that is the instruction and the summary.
 * It pays if each message saves a rouble or more, and three messages the cost of the summary.
 *
 * @returns Undefined if it does not pay, would not be whole, or the conversation is young: after a first answer
 *   nobody knows yet what of it will matter.
 */
export function weighSummary(
  { history, systemPrompt, model: ownModel, maxTokens }: SummaryNeed,
  models: Pick<Models, 'cheapest' | 'price'>,
): SummaryOffer | undefined {
  if (maxTokens < SUMMARY_TOKENS || countAnswers(history) < ANSWERS_MIN) return undefined
  const tokensOf = (entries: readonly HistoryEntry[]) =>
    estimatePromptTokens(withSystemPrompt(entries, systemPrompt))
  const tokens = tokensOf(history)
  const tokensAfter = tokensOf(history.filter(({ turnId }) => turnId === null)) + SUMMARY_TOKENS
  const promptTokens = tokens + estimatePromptTokens([SUMMARY_REQUEST])
  const request = { promptTokens, completionTokens: SUMMARY_TOKENS }
  // If no context is known, the model that has read the conversation until now can read it once more.
  const model = models.cheapest(request, promptTokens + maxTokens) ?? ownModel
  const priceOf = (sent: number) =>
    models.price(ownModel, { promptTokens: sent, completionTokens: 0 })
  const beforeMicroRub = priceOf(tokens)
  const afterMicroRub = priceOf(tokensAfter)
  const onceMicroRub = models.price(model, request)
  const savedMicroRub = beforeMicroRub - afterMicroRub
  const pays = mayPay(savedMicroRub) && onceMicroRub <= savedMicroRub * PAID_BACK_IN_MESSAGES
  return pays ? { model, tokens, beforeMicroRub, afterMicroRub, onceMicroRub } : undefined
}

/** Counts the answers that a conversation had at least: a summary stands for as many as are needed for one. */
function countAnswers(history: readonly HistoryEntry[]): number {
  const summedUp = history.some(({ isSummary }) => isSummary) ? ANSWERS_MIN : 0
  return summedUp + history.filter(({ message }) => message.role === 'assistant').length
}
