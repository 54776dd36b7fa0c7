import type { ModelInfo } from '../../contract/client/read-answers.ts'
import { formatRub } from '../../contract/money.ts'

const MILLION = 1_000_000n
const KOPECK = 10_000n
/** More than the prompts here have, in any counting. */
const PROMPT_TOKENS = 200n

/** @returns The micro-roubles of the smallest unit that has so many decimals of a rouble. */
const unitOf = (decimals: number) => 10n ** BigInt(6 - decimals)

/**
 * Checks whether a cost is the calculated one, rounded to kopecks or finer, up or down: the
 * interface does not say how a cost is rounded.
 *
 * @param exactTrillionths Millionths of a micro-rouble, since a price is per million tokens.
 */
export function isRoundingOf(costMicroRub: bigint, exactTrillionths: bigint): boolean {
  return [6, 5, 4, 3, 2].some((decimals) => {
    const unit = unitOf(decimals)
    const difference = costMicroRub * 1_000_000n - exactTrillionths
    const isWithin = (difference < 0n ? -difference : difference) < unit * 1_000_000n
    return costMicroRub % unit === 0n && isWithin
  })
}

/** Checks whether all sums are whole kopecks: a service may show its balance so and calculate more finely. */
export function areKopecks(sums: readonly bigint[]): boolean {
  return sums.every((sum) => sum % unitOf(2) === 0n)
}

/** Writes a sum with its unit. */
export const inRoubles = (microRub: bigint) => `${formatRub(microRub)} RUB`

/**
 * The most that a chat costs at a service that keeps the rules, and that may round up to a kopeck.
 *
 * @returns Undefined if the model has no price.
 */
export function priceChat(
  {
    promptMicroRubPer1m: prompt,
    completionMicroRubPer1m: completion,
    thinkingTokens = 0,
  }: Partial<ModelInfo>,
  maxTokens: number,
): bigint | undefined {
  if (prompt === undefined || completion === undefined) return undefined
  const exact = (prompt * PROMPT_TOKENS + completion * BigInt(maxTokens + thinkingTokens)) / MILLION
  return (exact / KOPECK + 1n) * KOPECK
}
