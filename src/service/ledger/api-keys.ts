/**
 * API keys: `kopeck_<public id>_<secret>`. The public id has no underscore; the secret is 32 random bytes in base64url.
 *
 * Invariants: the secret itself is stored nowhere; a revoked key stays revoked. `account.limited_keys` names the keys
 * with a limit of their own, and only they record what they have spent: both change under the lock of the account.
 */
import { hash, randomBytes } from 'node:crypto'
import { aliveSql } from '../../platform/database/instance/instance.ts'
import { findRow, inTransaction, type Pool, readRows, type Sql } from './sql.ts'

/** The terms that an operator sets for an API key. A null term means: no name, no end, no limit, every model. */
export interface KeyTerms {
  name: string | null
  expiresAt: Date | null
  /** The most it may spend in all, open holds included; millionths of a rouble, >= 0. */
  spendLimitMicroRub: bigint | null
  /** How many chats it may ask for in a minute, > 0, beside what its account may. */
  requestsPerMinute: number | null
  /** The models it may use, of chats and generation alike; never empty. */
  models: readonly string[] | null
}

export const KEY_IS_VALID_SQL = `
  (api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now()))`

export function mayUseModel({ models }: Partial<Pick<KeyTerms, 'models'>>, model: string): boolean {
  return models?.includes(model) ?? true
}

const PROCESS_PREFIX = 'process'

const API_KEY = /^kopeck_([0-9a-z]{1,32})_([A-Za-z0-9_-]{43})$/

export interface ApiKey extends KeyTerms {
  publicId: string
  accountId: number
  state: 'valid' | 'expired' | 'revoked'
  spentMicroRub: bigint
  createdAt: Date
}

const TERMS = 'name, expires_at, spend_limit_micro_rub, requests_per_minute, models'

/** SQL of a sum or the like over the movements of a key. */
const movedSql = (value: string) => `(SELECT ${value} FROM service.movement
  WHERE movement.account_id = api_key.account_id AND movement.key_id = public_id)`
const SPENT_SQL = movedSql('COALESCE(-sum(amount_micro_rub), 0)::bigint')

// A key without a limit does not record what it has spent.
const COLUMNS = `${TERMS}, public_id, account_id, created_at,
  CASE WHEN ${KEY_IS_VALID_SQL} THEN 'valid' WHEN revoked_at IS NULL THEN 'expired' ELSE 'revoked' END AS state,
  CASE WHEN spend_limit_micro_rub IS NOT NULL THEN spent_micro_rub ELSE ${SPENT_SQL} END AS spent_micro_rub`

/** The values of `TERMS` from the second parameter on. */
const TERM_VALUES = '$2, $3::timestamptz, $4::bigint, $5::int, $6::text[]'

function toValues(terms: Partial<KeyTerms>): unknown[] {
  const { name, expiresAt, spendLimitMicroRub, requestsPerMinute, models } = terms
  return [name, expiresAt, spendLimitMicroRub, requestsPerMinute, models]
}

/** `limited_keys` of the account has a key whose requests are judged one by one. */
const IS_LIMITED_SQL = 'num_nonnulls(spend_limit_micro_rub, requests_per_minute) > 0'

const INSERT = `
  WITH made AS (
    INSERT INTO service.api_key (public_id, ${TERMS}, account_id, secret_hash)
    VALUES ($1, ${TERM_VALUES}, $7, $8) RETURNING *
  )
  UPDATE service.account SET limited_keys = limited_keys || public_id
  FROM made WHERE account.id = account_id AND ${IS_LIMITED_SQL}`

/** Creates a key for an account. Returns the whole key, which cannot be read again. */
export async function createApiKey(
  sql: Sql,
  accountId: number,
  terms: Partial<KeyTerms> = {},
  publicId = randomBytes(8).toString('hex'),
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await sql.query(INSERT, [publicId, ...toValues(terms), accountId, hashSecret(secret)])
  return `kopeck_${publicId}_${secret}`
}

// The account's row comes first, as wherever several rows are locked (ledger.ts).
const REVOKE_DEAD = `
  WITH owner AS (SELECT id FROM service.account WHERE id = $1 FOR NO KEY UPDATE)
  UPDATE service.api_key SET revoked_at = now() FROM owner
  WHERE account_id = owner.id AND revoked_at IS NULL AND public_id LIKE '${PROCESS_PREFIX}%'
    AND NOT ${aliveSql(`substring(public_id FROM '^${PROCESS_PREFIX}([0-9]+)x')::bigint`)}`

/** Creates a key for one process, and revokes the keys of dead processes of the account. */
export async function createProcessKey(
  sql: Sql,
  { accountId, instanceId }: { accountId: number; instanceId: number },
): Promise<string> {
  await sql.query(REVOKE_DEAD, [accountId])
  const publicId = `${PROCESS_PREFIX}${instanceId}x${randomBytes(4).toString('hex')}`
  return await createApiKey(sql, accountId, {}, publicId)
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

export interface ListedKey extends ApiKey {
  /** When its newest chat or task began; that of old chats to the day. */
  lastUsedAt: Date | null
}

/** Returns the keys of an account, oldest first. */
export async function listApiKeys(sql: Sql, accountId: number): Promise<ListedKey[]> {
  const text = `SELECT ${COLUMNS}, ${movedSql('max(created_at)')} AS last_used_at
    FROM service.api_key WHERE account_id = $1 ORDER BY created_at, public_id`
  return await readRows<ListedKey>(sql, text, [accountId])
}

export async function findApiKey(sql: Sql, publicId: string): Promise<ApiKey | undefined> {
  const text = `SELECT ${COLUMNS} FROM service.api_key WHERE public_id = $1`
  return await findRow<ApiKey>(sql, text, [publicId])
}

type KeyName = Pick<ApiKey, 'publicId' | 'accountId'>

/** Changes terms of a key from the next request on. Returns undefined if there is none or it is revoked. */
export async function changeApiKey(
  pool: Pool,
  key: string,
  terms: Partial<KeyTerms>,
): Promise<KeyName | undefined> {
  const publicId = toPublicId(key) ?? key
  return await inTransaction(pool, async (sql) => {
    await sql.query(LOCK_OWNER, [publicId])
    const before = await findApiKey(sql, publicId)
    if (before === undefined || before.state === 'revoked') return undefined
    await sql.query(CHANGE, [publicId, ...toValues({ ...before, ...terms })])
    return { publicId, accountId: before.accountId }
  })
}

const LOCK_OWNER = `
  SELECT FROM service.account WHERE id = (SELECT account_id FROM service.api_key WHERE public_id = $1) FOR UPDATE`

const CHANGE = `
  WITH changed AS (
    UPDATE service.api_key SET (${TERMS}) = (${TERM_VALUES}),
      spent_micro_rub = CASE WHEN $4 IS NULL THEN 0 ELSE ${SPENT_SQL} END
    WHERE public_id = $1 RETURNING *
  )
  UPDATE service.account SET limited_keys = array_remove(limited_keys, public_id) ||
    CASE WHEN ${IS_LIMITED_SQL} THEN ARRAY[public_id] ELSE '{}' END
  FROM changed WHERE account.id = account_id`

/** Revokes a key, given whole or by its public id, for good. Safe to repeat. Returns undefined if there is none. */
export async function revokeApiKey(sql: Sql, key: string): Promise<KeyName | undefined> {
  const text = `UPDATE service.api_key SET revoked_at = COALESCE(revoked_at, now())
    WHERE public_id = $1 RETURNING public_id, account_id`
  return await findRow(sql, text, [toPublicId(key) ?? key])
}

/** The secret is random enough that a slow hash would add nothing. */
function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
