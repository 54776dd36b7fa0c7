export const SPEND_PERIODS = ['day', 'month'] as const

export interface SpendPeriod {
  unit: (typeof SPEND_PERIODS)[number]
  /** An IANA name that PostgreSQL knows. */
  timeZone: string
}

/** The terms that an operator sets for an API key. A null term means: no name, no end, no limit, every model. */
export interface KeyTerms {
  name: string | null
  expiresAt: Date | null
  /** The most it may spend in all, open holds included; millionths of a rouble, >= 0. */
  spendLimitMicroRub: bigint | null
  spendPeriod: SpendPeriod | null
  /** How many chats it may ask for in a minute, > 0, beside what its account may. */
  requestsPerMinute: number | null
  /** The models it may use, of chats and generation alike; never empty. */
  models: readonly string[] | null
}

/** SQL that is true where a key's row opens anything just now. */
export const KEY_IS_VALID_SQL = `
  (api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now()))`

const PERIOD_START_SQL = 'date_trunc(spend_period::text, now(), spend_time_zone)'
/** The database's clock may have been set back: a beginning that is ahead by more than that counts for nothing. */
const IS_CURRENT_SQL = `period_began_at BETWEEN ${PERIOD_START_SQL} AND now() + interval '1 day'`

/** SQL of the instant from which a key's spend counts towards its limit; null where all of it does. */
export const COUNTED_FROM_SQL = `CASE WHEN ${IS_CURRENT_SQL} THEN period_began_at ELSE ${PERIOD_START_SQL} END`

/** SQL of what counts towards a key's spend limit just now. */
export const COUNTED_SPEND_SQL = `CASE WHEN spend_period IS NULL THEN spent_micro_rub
  WHEN ${IS_CURRENT_SQL} THEN period_spent_micro_rub ELSE 0 END`

/** SQL of the instant at which a key's limit begins again; null for never. */
export const RENEWS_AT_SQL = `(date_trunc(spend_period::text, now() AT TIME ZONE spend_time_zone)
  + ('1 ' || spend_period)::interval) AT TIME ZONE spend_time_zone`

/** Checks whether a key with such terms may use a model. */
export function mayUse({ models }: Partial<Pick<KeyTerms, 'models'>>, model: string): boolean {
  return models?.includes(model) ?? true
}
