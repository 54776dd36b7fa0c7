/**
 * API keys: `kopeck_<public id>_<secret>`, the secret 32 random bytes in base64url. The terms of a key are in
 * key-terms.ts.
 *
 * Invariant: the secret itself is stored nowhere and never changes; a revoked key opens nothing, and
 * stays revoked. The public id has no underscore, so the two parts cannot be mistaken for one another although the secret may have some.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { aliveSql } from '../../../platform/database/instance/instance-row.ts'
import type { Sql } from '../sql.ts'
import { KEY_IS_VALID_SQL, type KeyTerms } from './key-terms.ts'

/** Begins the public id of a key that serves one process and dies with it. */
const PROCESS_PREFIX = 'process'

const API_KEY = /^kopeck_([0-9a-z]{1,32})_([A-Za-z0-9_-]{43})$/

/** The hash that is compared when there is no key, so that both cases take the same steps. */
const NO_HASH = Buffer.alloc(32)

export interface ApiKey extends KeyTerms {
  publicId: string
  accountId: number
  state: 'valid' | 'expired' | 'revoked'
  /** The money it has taken, less the money it gave back. */
  spentMicroRub: bigint
  createdAt: Date
  /** Null for one that was never used. */
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
    // The account's row comes first, as wherever several rows are locked (debit.ts).
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

/** @returns A key's public id; undefined for a text that is no key. */
export function toPublicId(apiKey: string): string | undefined {
  return API_KEY.exec(apiKey)?.[1]
}

/** @returns Every key, oldest first. @param accountId Leaves out the keys of other accounts. */
export async function listApiKeys(sql: Sql, accountId?: number): Promise<ApiKey[]> {
  const values = accountId === undefined ? [] : [accountId]
  return await readKeys(sql, values.length === 0 ? 'true' : 'account_id = $1', values)
}

/** @returns The key of a public id; undefined if there is none. */
export async function findApiKey(sql: Sql, publicId: string): Promise<ApiKey | undefined> {
  const [key] = await readKeys(sql, 'public_id = $1', [publicId])
  return key
}

async function readKeys(
  sql: Sql,
  where: string,
  values: readonly (number | string)[],
): Promise<ApiKey[]> {
  const { rows } = await sql.query<
    Omit<ApiKey, 'spendLimitMicroRub' | 'spentMicroRub'> & { limit: string | null; spent: string }
  >(
    `SELECT public_id AS "publicId", account_id AS "accountId", name, models,
             CASE WHEN ${KEY_IS_VALID_SQL} THEN 'valid'
                  WHEN revoked_at IS NULL THEN 'expired' ELSE 'revoked' END AS state,
             expires_at AS "expiresAt", created_at AS "createdAt", last_used_at AS "lastUsedAt",
             spend_limit_micro_rub AS "limit", spent_micro_rub AS spent
           FROM service.api_key WHERE ${where} ORDER BY created_at, public_id`,
    [...values],
  )
  return rows.map(({ limit, spent, ...key }) => ({
    ...key,
    spendLimitMicroRub: limit === null ? null : BigInt(limit),
    spentMicroRub: BigInt(spent),
  }))
}

const TERM_COLUMNS = {
  name: 'name',
  expiresAt: 'expires_at',
  spendLimitMicroRub: 'spend_limit_micro_rub',
  models: 'models',
} as const satisfies Record<keyof KeyTerms, string>

/**
 * Changes the terms that are named and no others, for every request that asks for money from then on. A key that
 * has expired is valid again where its new end is later than now.
 *
 * @param key The whole key, or its public id.
 * @param terms At least one.
 * @returns Its public id; undefined if there is no such key, or it is revoked.
 */
export async function changeApiKey(
  sql: Sql,
  key: string,
  terms: Partial<KeyTerms>,
): Promise<string | undefined> {
  const named = (Object.keys(TERM_COLUMNS) as (keyof KeyTerms)[]).filter((term) => term in terms)
  const sets = named.map((term, index) => `${TERM_COLUMNS[term]} = $${index + 2}`)
  const { rows } = await sql.query<{ public_id: string }>(
    `UPDATE service.api_key SET ${sets.join(', ')}
     WHERE public_id = $1 AND revoked_at IS NULL RETURNING public_id`,
    [toPublicId(key) ?? key, ...named.map((term) => terms[term])],
  )
  return rows[0]?.public_id
}

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
  await sql.query({
    name: 'api-key-create',
    text: `INSERT INTO service.api_key
             (public_id, account_id, secret_hash, name, expires_at, spend_limit_micro_rub, models)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      publicId,
      accountId,
      hashSecret(secret),
      terms.name,
      terms.expiresAt,
      terms.spendLimitMicroRub,
      terms.models,
    ],
  })
  return `kopeck_${publicId}_${secret}`
}

/** The secret is random enough that a slow hash would add nothing. */
function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
