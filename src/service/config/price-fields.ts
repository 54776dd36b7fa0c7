/**
 * The prices of a model, or of an upstream, as SERVICE_CONFIG has them: decimal roubles per 1 million tokens.
 * In: fields of the file, or prices. Out: the one from the other, and what is wrong with the fields.
 */
import { type Static, Type } from 'typebox'
import { formatRub, parseRub } from '../../contract/money.ts'
import type { TokenPrices, TokenRates } from '../ledger/price-tokens.ts'
import { roubles, toMicroRub } from './fields.ts'

const TIERS_MAX = 10
const PROMPT_TOKENS_MAX = 100_000_000
const HOURS_MAX = 24
/** A time of day, 24:00 included. */
const TIME = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/

const RATE_FIELDS = {
  prompt: 'prompt_rub_per_1m',
  cachedPrompt: 'cached_prompt_rub_per_1m',
  cacheWrite: 'cache_write_rub_per_1m',
  completion: 'completion_rub_per_1m',
  reasoning: 'reasoning_rub_per_1m',
} as const satisfies Record<keyof TokenRates, string>
const RATES = Object.keys(RATE_FIELDS) as (keyof TokenRates)[]

const optionalRates = {
  cached_prompt_rub_per_1m: Type.Optional(roubles),
  cache_write_rub_per_1m: Type.Optional(roubles),
  reasoning_rub_per_1m: Type.Optional(roubles),
}

const Tier = Type.Object(
  {
    above_prompt_tokens: Type.Integer({
      minimum: 1,
      maximum: PROMPT_TOKENS_MAX,
      description: `a whole number of tokens from 1 to ${PROMPT_TOKENS_MAX}`,
    }),
    prompt_rub_per_1m: Type.Optional(roubles),
    completion_rub_per_1m: Type.Optional(roubles),
    ...optionalRates,
  },
  {
    additionalProperties: false,
    description: 'an object of above_prompt_tokens and the prices that differ above it',
  },
)

const timeOfDay = Type.String({
  pattern: TIME.source,
  description: 'a time of day in UTC, from 00:00 to 24:00',
})

const Hours = Type.Object(
  {
    from_utc: timeOfDay,
    to_utc: timeOfDay,
    prompt_rub_per_1m: roubles,
    completion_rub_per_1m: roubles,
    ...optionalRates,
  },
  {
    additionalProperties: false,
    description: 'an object of from_utc, to_utc and the prices between them',
  },
)

/** The fields. A tier has the prices that it does not name from those above it in the file. */
export const priceFields = {
  prompt_rub_per_1m: roubles,
  completion_rub_per_1m: roubles,
  ...optionalRates,
  tiers: Type.Optional(
    Type.Array(Tier, {
      minItems: 1,
      maxItems: TIERS_MAX,
      description: `a list of 1 to ${TIERS_MAX} tiers`,
    }),
  ),
  hours: Type.Optional(
    Type.Array(Hours, {
      minItems: 1,
      maxItems: HOURS_MAX,
      description: `a list of 1 to ${HOURS_MAX} parts of the day`,
    }),
  ),
}
const _Prices = Type.Object(priceFields)
export type PriceFields = Static<typeof _Prices>
type TierFields = NonNullable<PriceFields['tiers']>[number]

/** @param fields Checked. */
export function toTokenPrices(fields: PriceFields): TokenPrices {
  const base = readAllRates(fields)
  let below = base
  const tiers = fields.tiers?.map((tier) => {
    below = { ...below, ...readRates(tier) }
    return { ...below, abovePromptTokens: tier.above_prompt_tokens }
  })
  const hours = fields.hours?.map(({ from_utc, to_utc, ...rates }) => ({
    ...readAllRates(rates),
    fromMinute: toMinute(from_utc),
    toMinute: toMinute(to_utc),
  }))
  return { ...base, ...(tiers && { tiers }), ...(hours && { hours }) }
}

/** Writes prices as fields. */
export function toPriceFields({ tiers, hours, ...base }: TokenPrices): PriceFields {
  return {
    ...(writeRates(base) as PriceFields),
    ...(tiers !== undefined && {
      tiers: tiers.map(({ abovePromptTokens, ...rates }) => ({
        above_prompt_tokens: abovePromptTokens,
        ...writeRates(rates),
      })),
    }),
    ...(hours !== undefined && {
      hours: hours.map(({ fromMinute, toMinute, ...rates }) => ({
        from_utc: toTime(fromMinute),
        to_utc: toTime(toMinute),
        ...(writeRates(rates) as PriceFields),
      })),
    }),
  }
}

/** Finds what no schema finds, in any JSON. */
export function findPriceProblems(fields: Partial<PriceFields>, path: string): string[] {
  const problems: string[] = []
  const { tiers, hours } = fields
  const listed: Partial<TierFields>[] = Array.isArray(tiers) ? tiers : []
  let below: Partial<PriceFields> = fields
  let size = -1
  for (const [index, tier] of listed.entries()) {
    const at = `${path}.tiers[${index}]`
    if (typeof tier !== 'object' || tier === null) continue
    if (Number(tier.above_prompt_tokens) <= size) {
      problems.push(`${at}.above_prompt_tokens: more than that of the tier before`)
    }
    size = Number(tier.above_prompt_tokens)
    below = { ...below, ...tier }
    problems.push(...findCachedProblem(below, at))
  }
  for (const [index, part] of (Array.isArray(hours) ? hours : []).entries()) {
    const at = `${path}.hours[${index}]`
    if (String(part?.from_utc) >= String(part?.to_utc))
      problems.push(`${at}.to_utc: after from_utc`)
    problems.push(...findCachedProblem(part ?? {}, at))
  }
  return [...findCachedProblem(fields, path), ...problems]
}

function toMinute(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

function toTime(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => `${part}`.padStart(2, '0')).join(':')
}

/** The hold is taken as if nothing were cached. */
function findCachedProblem(fields: Partial<PriceFields>, path: string): string[] {
  const { cached_prompt_rub_per_1m: cached, prompt_rub_per_1m: prompt } = fields
  const [microRub, promptMicroRub] = [cached, prompt].map((rub) =>
    typeof rub === 'string' ? parseRub(rub) : undefined,
  )
  const isAbove =
    microRub !== undefined && promptMicroRub !== undefined && microRub > promptMicroRub
  return isAbove ? [`${path}.cached_prompt_rub_per_1m: at most prompt_rub_per_1m`] : []
}

function readAllRates(
  fields: Pick<PriceFields, 'prompt_rub_per_1m' | 'completion_rub_per_1m'>,
): TokenRates {
  return {
    prompt: toMicroRub(fields.prompt_rub_per_1m),
    completion: toMicroRub(fields.completion_rub_per_1m),
    ...readRates(fields),
  }
}

function readRates(fields: Partial<TierFields>): Partial<TokenRates> {
  const named = RATES.flatMap((rate) => {
    const rub = fields[RATE_FIELDS[rate]]
    return rub === undefined ? [] : [[rate, toMicroRub(rub)]]
  })
  return Object.fromEntries(named)
}

function writeRates(rates: TokenRates): Partial<TierFields> {
  const named = RATES.flatMap((rate) => {
    const microRub = rates[rate]
    return microRub === undefined ? [] : [[RATE_FIELDS[rate], formatRub(microRub)]]
  })
  return Object.fromEntries(named)
}
