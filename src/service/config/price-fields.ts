/** Prices as SERVICE_CONFIG has them: decimal roubles per 1 million tokens. */
import { type Static, Type } from 'typebox'
import { formatRub } from '../../contract/money.ts'
import type { TokenPrices, TokenRates } from '../ledger/price-tokens.ts'
import { list, matching, record, roubles, toMicroRub, whole } from './fields.ts'

const TIERS_MAX = 10
const HOURS_MAX = 24

const RATE_FIELDS = {
  prompt: 'prompt_rub_per_1m',
  cachedPrompt: 'cached_prompt_rub_per_1m',
  cacheWrite: 'cache_write_rub_per_1m',
  completion: 'completion_rub_per_1m',
  reasoning: 'reasoning_rub_per_1m',
} as const satisfies Record<keyof TokenRates, string>
export const RATES = Object.keys(RATE_FIELDS) as (keyof TokenRates)[]

const rateFields = {
  prompt_rub_per_1m: roubles,
  completion_rub_per_1m: roubles,
  cached_prompt_rub_per_1m: Type.Optional(roubles),
  cache_write_rub_per_1m: Type.Optional(roubles),
  reasoning_rub_per_1m: Type.Optional(roubles),
}
const Rates = Type.Object(rateFields)
type RateFields = Static<typeof Rates>

const Tier = record(
  { above_prompt_tokens: whole(1, 100_000_000, 'of tokens '), ...Type.Partial(Rates).properties },
  'an object of above_prompt_tokens and the prices that differ above it',
)
const timeOfDay = matching(
  '^(?:([01]\\d|2[0-3]):([0-5]\\d)|24:00)$',
  'a time of day in UTC, from 00:00 to 24:00',
)
const Hours = record(
  { from_utc: timeOfDay, to_utc: timeOfDay, ...rateFields },
  'an object of from_utc, to_utc and the prices between them',
)

/** The fields. A tier has the prices that it does not name from those above it in the file. */
export const priceFields = {
  ...rateFields,
  tiers: Type.Optional(list(Tier, `a list of 1 to ${TIERS_MAX} tiers`, TIERS_MAX)),
  hours: Type.Optional(list(Hours, `a list of 1 to ${HOURS_MAX} parts of the day`, HOURS_MAX)),
}
const _Prices = Type.Object(priceFields)
export type PriceFields = Static<typeof _Prices>

export function toTokenPrices({ tiers, hours, ...base }: PriceFields): TokenPrices {
  let above: RateFields = base
  return {
    ...readRates(base),
    tiers: tiers?.map(({ above_prompt_tokens: abovePromptTokens, ...named }) => {
      above = { ...above, ...named }
      return { ...readRates(above), abovePromptTokens }
    }),
    hours: hours?.map(({ from_utc, to_utc, ...rates }) => {
      return { ...readRates(rates), fromMinute: toMinute(from_utc), toMinute: toMinute(to_utc) }
    }),
  }
}

export function toPriceFields(
  { tiers, hours, ...base }: TokenPrices,
  convert: (rate: bigint) => bigint,
): PriceFields {
  const ofTiers = tiers?.map(({ abovePromptTokens: above_prompt_tokens, ...rates }) => {
    return { above_prompt_tokens, ...writeRates(rates, convert) }
  })
  const ofHours = hours?.map(({ fromMinute, toMinute, ...rates }) => {
    return { from_utc: toTime(fromMinute), to_utc: toTime(toMinute), ...writeRates(rates, convert) }
  })
  return {
    ...writeRates(base, convert),
    ...(ofTiers && { tiers: ofTiers }),
    ...(ofHours && { hours: ofHours }),
  }
}

export function* findPriceProblems(fields: PriceFields, path: string): Generator<string> {
  const { tiers = [], hours = [], ...base } = toTokenPrices(fields)
  const rates = new Map<string, TokenRates>([[path, base]])
  let size = 0
  for (const [index, tier] of tiers.entries()) {
    const at = `${path}.tiers[${index}]`
    rates.set(at, tier)
    const above = tier.abovePromptTokens
    if (above <= size) yield `${at}.above_prompt_tokens: more than that of the tier before`
    size = above
  }
  for (const [index, part] of hours.entries()) {
    const at = `${path}.hours[${index}]`
    rates.set(at, part)
    if (part.fromMinute >= part.toMinute) yield `${at}.to_utc: after from_utc`
  }
  // The hold is taken as if nothing were cached.
  for (const [at, { prompt, cachedPrompt = 0n }] of rates) {
    if (cachedPrompt > prompt) yield `${at}.${RATE_FIELDS.cachedPrompt}: at most prompt_rub_per_1m`
  }
}

function readRates(fields: RateFields): TokenRates {
  const named = RATES.flatMap((rate) => {
    const rub = fields[RATE_FIELDS[rate]]
    return rub === undefined ? [] : [[rate, toMicroRub(rub)]]
  })
  return Object.fromEntries(named)
}

function writeRates(rates: TokenRates, convert: (rate: bigint) => bigint): RateFields {
  const named = RATES.flatMap((name) => {
    const rate = rates[name]
    return rate === undefined ? [] : [[RATE_FIELDS[name], formatRub(convert(rate))]]
  })
  return Object.fromEntries(named)
}

function toMinute(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

function toTime(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => `${part}`.padStart(2, '0')).join(':')
}
