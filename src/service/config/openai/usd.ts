import { parseRub } from '../../../contract/money.ts'
import type { TokenPrices } from '../../ledger/price-tokens.ts'

export type UsdPrices = TokenPrices

export const FREE: UsdPrices = { prompt: 0n, completion: 0n }

export interface UsdRate {
  microRub: bigint
  from: string
}

/** The rate without USD_RUB: https://www.cbr.ru/eng/currency_base/daily/. It ages, so each start prints its date. */
export const SHIPPED_USD_RATE: UsdRate = {
  microRub: 81_900_000n,
  from: 'the Bank of Russia on 2025-10-06: it has changed since, USD_RUB sets today’s',
}

const MICRO = 1_000_000n
/** A model for more than this many dollars per 1 million tokens is a mistake in the price. */
const USD_PER_1M_MAX = 100_000

/** Reads dollars per 1 million tokens that a person wrote: `0.25`. Returns undefined for anything else. */
export function parseUsd(text: string): bigint | undefined {
  // Dollars and roubles have the same millionths.
  const microUsd = /^\d{1,6}(?:\.\d{1,6})?$/.test(text) ? parseRub(text) : undefined
  return microUsd !== undefined && microUsd <= BigInt(USD_PER_1M_MAX) * MICRO ? microUsd : undefined
}

/** Reads dollars per token, a number or a text such as `2.5e-7`, into millionths of a dollar per 1 million tokens. */
export function readUsdPerToken(listed: unknown): bigint | undefined {
  const isText = typeof listed === 'string' && /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(listed)
  return isText || typeof listed === 'number' ? readUsdPer1m(Number(listed) * 1e6) : undefined
}

/** Reads dollars per 1 million tokens that are a number. Returns undefined for no price, and for a negative one. */
export function readUsdPer1m(usd: unknown): bigint | undefined {
  const isPrice = typeof usd === 'number' && usd >= 0 && usd <= USD_PER_1M_MAX
  return isPrice ? parseUsd(usd.toFixed(6)) : undefined
}

/** Converts millionths of a dollar into millionths of a rouble, rounded half up. */
export function toRub(microUsd: bigint, { microRub }: UsdRate): bigint {
  return (microUsd * microRub + MICRO / 2n) / MICRO
}
