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
}
const _Prices = Type.Object(priceFields)
export type PriceFields = Static<typeof _Prices>
type TierFields = NonNullable<PriceFields['tiers']>[number]

/** @param fields Checked. */
export function toTokenPrices(fields: PriceFields): TokenPrices {
  const { prompt_rub_per_1m, completion_rub_per_1m, tiers } = fields
  const base: TokenRates = {
    prompt: toMicroRub(prompt_rub_per_1m),
    completion: toMicroRub(completion_rub_per_1m),
    ...readRates(fields),
  }
  if (tiers === undefined) return base
  let below = base
  return {
    ...base,
    tiers: tiers.map((tier) => {
      below = { ...below, ...readRates(tier) }
      return { ...below, abovePromptTokens: tier.above_prompt_tokens }
    }),
  }
}

/** Writes prices as fields. */
export function toPriceFields({ tiers, ...base }: TokenPrices): PriceFields {
  return {
    ...(writeRates(base) as PriceFields),
    ...(tiers !== undefined && {
      tiers: tiers.map(({ abovePromptTokens, ...rates }) => ({
        above_prompt_tokens: abovePromptTokens,
        ...writeRates(rates),
      })),
    }),
  }
}

/** Finds what no schema finds, in any JSON. */
export function findPriceProblems(fields: Partial<PriceFields>, path: string): string[] {
  const problems: string[] = []
  const { tiers } = fields
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
  return [...findCachedProblem(fields, path), ...problems]
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
