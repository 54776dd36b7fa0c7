import { estimatePromptTokens } from '../../../contract/token-estimate.ts'
import type { Models } from '../../models/models.ts'
import { withSystemPrompt } from '../conversation/context-size.ts'
import type { HistoryEntry } from '../conversation/history.ts'
import { SUMMARY_REQUEST, SUMMARY_TOKENS } from '../conversation/summary-messages.ts'

/** What a summary saves with each message is worth a tap from here on. */
const SAVED_MIN_MICRO_RUB = 1_000_000n
/** Within so many messages it has saved what it costs. */
const PAID_BACK_IN_MESSAGES = 3n

/** A summary that pays. */
export interface SummaryOffer {
  /** The cheapest one that can read the whole conversation. */
  model: string
  /** What the next message sends again. */
  tokens: number
  /** What each message costs before its answer: now, and after the summary. */
  beforeMicroRub: bigint
  afterMicroRub: bigint
  /** What the summary costs. */
  onceMicroRub: bigint
}

export interface SummaryNeed {
  history: readonly HistoryEntry[]
  systemPrompt: string | undefined
  /** Of the conversation. */
  model: string
  /** What an answer may have. */
  maxTokens: number
}

/** Whether it can save a rouble with each message, however cheap the summary. */
export function mayPay(microRubPerMessage: bigint): boolean {
  return microRubPerMessage >= SAVED_MIN_MICRO_RUB
}

/**
 * Weighs what a summary of a conversation costs against what it saves.
 *
 * Each message pays for all that is sent again with it. After a summary that is the instruction and the summary.
 * It pays where each message saves a rouble or more, and three messages what the summary costs.
 *
 * @returns Undefined where it does not pay, or would not be whole.
 */
export function weighSummary(
  { history, systemPrompt, model: ownModel, maxTokens }: SummaryNeed,
  models: Pick<Models, 'cheapest' | 'price'>,
): SummaryOffer | undefined {
  if (maxTokens < SUMMARY_TOKENS) return undefined
  const tokensOf = (entries: readonly HistoryEntry[]) =>
    estimatePromptTokens(withSystemPrompt(entries, systemPrompt))
  const tokens = tokensOf(history)
  const tokensAfter = tokensOf(history.filter(({ turnId }) => turnId === null)) + SUMMARY_TOKENS
  const promptTokens = tokens + estimatePromptTokens([SUMMARY_REQUEST])
  const request = { promptTokens, completionTokens: SUMMARY_TOKENS }
  // Where no context is told, the model that has read the conversation until now can read it once more.
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
