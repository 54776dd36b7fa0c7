/**
 * API keys: `kopeck_<public id>_<secret>`, the secret 32 random bytes in base64url.
 *
 * Invariants: the secret itself is stored nowhere and never changes; a revoked key opens nothing, and
 * stays revoked. The public id has no underscore, so the two parts cannot be mistaken for one another although the secret may have some.
 * `account.limited_keys` names the keys with a limit of their own, and only those record what they have spent: both change
 * under the lock of the account.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { aliveSql } from '../../platform/database/instance/instance-row.ts'
import { inTransaction, type Pool, type Sql } from './sql.ts'

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

/** SQL that is true for a key whose requests are judged one by one. */
const IS_LIMITED_SQL = 'num_nonnulls(spend_limit_micro_rub, requests_per_minute) > 0'

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

const PROCESS_PREFIX = 'process'

const API_KEY = /^kopeck_([0-9a-z]{1,32})_([A-Za-z0-9_-]{43})$/

/** The hash that is compared when there is no key, so that both cases take the same steps. */
const NO_HASH = Buffer.alloc(32)

export interface ApiKey extends KeyTerms {
  publicId: string
  accountId: number
  state: 'valid' | 'expired' | 'revoked'
  spentMicroRub: bigint
  countedMicroRub: bigint
  renewsAt: Date | null
  createdAt: Date
  lastUsedAt: Date | null
}

/** Makes a key for an account. @returns The whole key: it cannot be read again. */
export async function createApiKey(
  sql: Sql,
  accountId: number,
  terms: Partial<KeyTerms> = {},
): Promise<string> {
  return await insertKey(sql, { accountId, publicId: randomBytes(8).toString('hex'), terms })
}

/**
 * Makes a key for one process and revokes those of processes that are dead. Another instance that
 * shares the account keeps its own.
 */
export async function createProcessKey(
  sql: Sql,
  { accountId, instanceId }: { accountId: number; instanceId: number },
): Promise<string> {
  await sql.query({
    name: 'api-key-revoke-dead',
    // The account's row comes first, as wherever several rows are locked (ledger.ts).
    text: `
      WITH owner AS (SELECT id FROM service.account WHERE id = $1 FOR NO KEY UPDATE)
      UPDATE service.api_key SET revoked_at = now()
      FROM owner
      WHERE account_id = owner.id AND revoked_at IS NULL AND public_id LIKE '${PROCESS_PREFIX}%'
        AND NOT ${aliveSql(`substring(public_id FROM '^${PROCESS_PREFIX}([0-9]+)x')::bigint`)}`,
    values: [accountId],
  })
  const publicId = `${PROCESS_PREFIX}${instanceId}x${randomBytes(4).toString('hex')}`
  return await insertKey(sql, { accountId, publicId, terms: {} })
}

/** @returns The account that the key opens, and the models it may use; undefined if the key is not valid or the account closed. */
export async function findAccountByApiKey(
  sql: Sql,
  apiKey: string,
): Promise<({ id: number } & Pick<KeyTerms, 'models'>) | undefined> {
  const key = parseApiKey(apiKey)
  if (key === undefined) return undefined
  const { rows } = await sql.query<{
    account_id: number
    secret_hash: Buffer
    models: string[] | null
  }>({
    name: 'api-key-find',
    text: `SELECT account_id, secret_hash, models FROM service.api_key
           WHERE public_id = $1 AND ${KEY_IS_VALID_SQL} AND EXISTS (
             SELECT FROM service.account WHERE account.id = account_id AND account.state <> 'closed')`,
    values: [key.publicId],
  })
  const row = rows[0]
  const matches = timingSafeEqual(key.secretHash, row?.secret_hash ?? NO_HASH)
  return row !== undefined && matches ? { id: row.account_id, models: row.models } : undefined
}

/** @returns A key's public id and the hash of its secret; undefined for a text that is no key. */
export function parseApiKey(apiKey: string): { publicId: string; secretHash: Buffer } | undefined {
  const [, publicId, secret] = API_KEY.exec(apiKey) ?? []
  if (publicId === undefined || secret === undefined) return undefined
  return { publicId, secretHash: hashSecret(secret) }
}

export function toPublicId(apiKey: string): string | undefined {
  return API_KEY.exec(apiKey)?.[1]
}

/** @returns Every key, oldest first. @param accountId Leaves out the keys of other accounts. */
export async function listApiKeys(sql: Sql, accountId?: number): Promise<ApiKey[]> {
  const values = accountId === undefined ? [] : [accountId]
  return await readKeys(sql, values.length === 0 ? 'true' : 'account_id = $1', values)
}

export async function findApiKey(sql: Sql, publicId: string): Promise<ApiKey | undefined> {
  const [key] = await readKeys(sql, 'public_id = $1', [publicId])
  return key
}

/** A key without a limit does not record what it has spent: its rows are summed up. */
const SPENT_SQL = `CASE WHEN spend_limit_micro_rub IS NOT NULL THEN spent_micro_rub ELSE (
    SELECT COALESCE(-sum(amount_micro_rub), 0)::bigint FROM service.movement
    WHERE movement.account_id = api_key.account_id AND movement.key_id = public_id) END`

async function readKeys(
  sql: Sql,
  where: string,
  values: readonly (number | string)[],
): Promise<ApiKey[]> {
  const { rows } = await sql.query<
    Omit<ApiKey, MoneyOfKey | 'spendPeriod'> & {
      limit: string | null
      spent: string
      counted: string
      unit: SpendPeriod['unit'] | null
      timeZone: string | null
    }
  >(
    `SELECT public_id AS "publicId", account_id AS "accountId", name, models,
             CASE WHEN ${KEY_IS_VALID_SQL} THEN 'valid'
                  WHEN revoked_at IS NULL THEN 'expired' ELSE 'revoked' END AS state,
             expires_at AS "expiresAt", created_at AS "createdAt", last_used_at AS "lastUsedAt",
             spend_limit_micro_rub AS "limit", ${SPENT_SQL} AS spent,
             CASE WHEN spend_limit_micro_rub IS NULL THEN 0 ELSE ${COUNTED_SPEND_SQL} END AS counted,
             spend_period AS unit, spend_time_zone AS "timeZone", ${RENEWS_AT_SQL} AS "renewsAt",
             requests_per_minute AS "requestsPerMinute"
           FROM service.api_key WHERE ${where} ORDER BY created_at, public_id`,
    [...values],
  )
  return rows.map(({ limit, spent, counted, unit, timeZone, ...key }) => ({
    ...key,
    spendLimitMicroRub: limit === null ? null : BigInt(limit),
    spentMicroRub: BigInt(spent),
    countedMicroRub: BigInt(counted),
    spendPeriod: unit === null || timeZone === null ? null : { unit, timeZone },
  }))
}

type MoneyOfKey = 'spendLimitMicroRub' | 'spentMicroRub' | 'countedMicroRub'

const TERM_COLUMNS = {
  name: 'name',
  expiresAt: 'expires_at',
  spendLimitMicroRub: 'spend_limit_micro_rub',
  spendPeriod: 'spend_period',
  requestsPerMinute: 'requests_per_minute',
  models: 'models',
} as const satisfies Record<keyof KeyTerms, string>

/** Nothing was recorded before a key had its first limit: its period begins with the limit. */
const RECORDED_FROM_NOW = [
  [
    'period_began_at',
    'CASE WHEN spend_limit_micro_rub IS NULL AND spend_period IS NOT NULL THEN now() ELSE period_began_at END',
  ],
  [
    'period_spent_micro_rub',
    'CASE WHEN spend_limit_micro_rub IS NULL THEN 0 ELSE period_spent_micro_rub END',
  ],
] as const

/** Names the columns that terms set, with their values as SQL: a period begins now, with nothing spent. */
function toColumns(terms: Partial<KeyTerms>, firstParameter: number) {
  const values: unknown[] = []
  const parameter = (value: unknown, type = '') =>
    `$${firstParameter + values.push(value) - 1}${type}`
  const named = (Object.keys(TERM_COLUMNS) as (keyof KeyTerms)[]).filter((term) => term in terms)
  const columns = named.flatMap((term): readonly (readonly [string, string])[] => {
    if (term === 'spendLimitMicroRub' && !('spendPeriod' in terms)) {
      return [['spend_limit_micro_rub', parameter(terms[term])], ...RECORDED_FROM_NOW]
    }
    if (term !== 'spendPeriod') return [[TERM_COLUMNS[term], parameter(terms[term])]]
    const zone = parameter(terms.spendPeriod?.timeZone, '::text')
    return [
      ['spend_period', parameter(terms.spendPeriod?.unit, '::service.spend_period')],
      ['spend_time_zone', zone],
      // It fails where PostgreSQL does not know the zone: no request of the key could be judged then.
      ['period_began_at', `CASE WHEN date_trunc('day', now(), ${zone}) IS NOT NULL THEN now() END`],
      ['period_spent_micro_rub', '0'],
    ]
  })
  return { columns, values }
}

/**
 * Changes the terms that are named and no others, for every request that asks for money from then on. A key that
 * has expired is valid again where its new end is later than now.
 *
 * @param key The whole key, or its public id.
 * @param terms At least one.
 * @returns Its public id; undefined if there is no such key, or it is revoked.
 */
export async function changeApiKey(
  pool: Pool,
  key: string,
  terms: Partial<KeyTerms>,
): Promise<string | undefined> {
  const publicId = toPublicId(key) ?? key
  const { columns, values } = toColumns(terms, 2)
  const sets = columns.map(([column, value]) => `${column} = ${value}`)
  return await inTransaction(pool, async (sql) => {
    await sql.query(LOCK_OWNER, [publicId])
    const { rowCount } = await sql.query(
      `UPDATE service.api_key SET ${sets.join(', ')} WHERE public_id = $1 AND revoked_at IS NULL`,
      [publicId, ...values],
    )
    if (rowCount !== 1) return undefined
    await sql.query(COUNT_SPENT, [publicId])
    await sql.query(NAME_LIMITED, [publicId])
    return publicId
  })
}

const LOCK_OWNER = `
  SELECT FROM service.account WHERE id = (SELECT account_id FROM service.api_key WHERE public_id = $1) FOR UPDATE`

// What a key has spent is known from its rows.
const COUNT_SPENT = `
  UPDATE service.api_key SET spent_micro_rub = CASE WHEN spend_limit_micro_rub IS NULL THEN 0 ELSE (
      SELECT COALESCE(-sum(amount_micro_rub), 0) FROM service.movement
      WHERE movement.account_id = api_key.account_id AND key_id = public_id) END
  WHERE public_id = $1`

const NAME_LIMITED = `
  UPDATE service.account SET limited_keys = array_remove(limited_keys, public_id) ||
    CASE WHEN ${IS_LIMITED_SQL} THEN ARRAY[public_id] ELSE '{}' END
  FROM service.api_key WHERE account.id = account_id AND public_id = $1`

/**
 * Closes a key for good. Safe to repeat.
 *
 * @param key The whole key, or its public id.
 * @returns The account it belonged to; undefined if there is no such key.
 */
export async function revokeApiKey(
  sql: Sql,
  key: string,
): Promise<{ publicId: string; accountId: number } | undefined> {
  const publicId = toPublicId(key) ?? key
  const { rows } = await sql.query<{ account_id: number }>({
    name: 'api-key-revoke',
    text: `UPDATE service.api_key SET revoked_at = COALESCE(revoked_at, now())
           WHERE public_id = $1 RETURNING account_id`,
    values: [publicId],
  })
  return rows[0] && { publicId, accountId: rows[0].account_id }
}

async function insertKey(
  sql: Sql,
  { accountId, publicId, terms }: { accountId: number; publicId: string; terms: Partial<KeyTerms> },
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const { columns, values } = toColumns({ spendPeriod: null, ...terms }, 4)
  await sql.query(
    `WITH api_key AS (
       INSERT INTO service.api_key (${['public_id', 'account_id', 'secret_hash', ...columns.map(([column]) => column)]})
     VALUES (${['$1', '$2', '$3', ...columns.map(([, value]) => value)]})
       RETURNING *
     )
     UPDATE service.account SET limited_keys = limited_keys || public_id
     FROM api_key WHERE account.id = account_id AND ${IS_LIMITED_SQL}`,
    [publicId, accountId, hashSecret(secret), ...values],
  )
  return `kopeck_${publicId}_${secret}`
}

/** The secret is random enough that a slow hash would add nothing. */
function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
