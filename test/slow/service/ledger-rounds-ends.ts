import {
  addHoldMargin,
  estimateDefinitionTokens,
  estimatePromptTokens,
  estimateTokens,
} from '../../../src/contract/token-estimate.ts'
import { TOOL_NAME } from '../../service/providers/openai-server.ts'
import { CONTEXT_TOKENS, callsTool, PRICES, type Round, TOOLS } from './ledger-rounds-plan.ts'

const ROUBLE = 1_000_000n

/** Prices what a round's hold takes from the balance. */
export function heldOf(round: Round): bigint {
  return price(addHoldMargin(promptTokensOf(round)), round.maxTokens)
}

/**
 * Every end of a round's hold that is right, as its state and its cost; `none` where there is no hold.
 * There are several where the client leaves while the service goes on.
 *
 * @param isAsked Whether the request went out whole.
 */
export function endsOf(round: Round, isAsked: boolean): string[] {
  const { stream, leaving } = round
  const words = round.provider === 'refuses' ? [] : round.words
  const kept = `captured ${heldOf(round)}`
  const promptOnly = `settled ${countedOf(round, '')}`
  const inTheEnd = {
    answers: `settled ${costOf(round)}`,
    'answers late': `settled ${costOf(round)}`,
    resets: stream && words.length > 0 ? kept : RELEASED,
    refuses: RELEASED,
    hangs: kept,
    'is silent': RELEASED,
  }[round.provider]
  switch (leaving.when) {
    case 'never':
      return [inTheEnd]
    case 'before the first token':
      return [stream ? promptOnly : inTheEnd]
    case 'asking':
      if (!isAsked) return ['none']
      return ['none', RELEASED, inTheEnd, ...(stream ? [kept, promptOnly] : [])]
    case 'reading':
      return stream && words.length > 0 ? [kept, inTheEnd] : [inTheEnd]
  }
}

const RELEASED = 'released 0'

/** The rule of what is charged for a whole answer, once more and in other words. */
function costOf(round: Round): bigint {
  const held = heldOf(round)
  const reported: Record<string, unknown> = JSON.parse(round.usage ?? 'null') ?? {}
  const { prompt_tokens: asked, completion_tokens: answered } = reported
  if (asked === undefined || answered === undefined) {
    return countedOf(round, writtenOf(round, round.words.length))
  }
  const { cached_tokens: told } = (reported.prompt_tokens_details ?? {}) as Record<string, unknown>
  const [inside, completion, cached] = [asked, answered, told ?? 0].map(toNumber) as Counts
  if (![inside, completion, cached].every(isCount)) return held
  // More cached tokens than the prompt has are counted beside it.
  const prompt = cached > inside ? inside + cached : inside
  if (prompt + completion > CONTEXT_TOKENS) return held
  const cost = price(prompt - cached, completion) + BigInt(cached * PRICES.cachedPrompt)
  return cost <= held + ROUBLE || cost <= held * 10n ? cost : held
}

function writtenOf({ words, callFrom }: Round, count: number): string {
  const called = count > callFrom ? [`${TOOL_NAME} `] : []
  return [...called, ...words.slice(0, count)].join('')
}

function countedOf(round: Round, content: string): bigint {
  const counted = price(promptTokensOf(round), estimateTokens(content))
  const held = heldOf(round)
  return counted < held ? counted : held
}

function promptTokensOf(round: Round): number {
  const definitions = callsTool(round) ? estimateDefinitionTokens({ tools: TOOLS }) : 0
  return estimatePromptTokens([{ role: 'user', content: round.prompt }]) + definitions
}

function price(promptTokens: number, completionTokens: number): bigint {
  return BigInt(promptTokens * PRICES.prompt + completionTokens * PRICES.completion)
}

type Counts = [inside: number, completion: number, cached: number]

/** Numbers may be in quotes. */
function toNumber(value: unknown): number {
  return typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
}

function isCount(value: number): boolean {
  return value >= 0 && value < 2 ** 53 && value % 1 === 0
}
