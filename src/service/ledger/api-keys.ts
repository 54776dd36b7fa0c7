/**
 * API keys: `kopeck_<public id>_<secret>`, the secret 32 random bytes in base64url.
 *
 * Invariant: the secret itself is stored nowhere and never changes; a revoked key opens nothing, and
 * stays revoked. The public id has no underscore, so the two parts cannot be mistaken for one another although the secret may have some.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { aliveSql } from '../../database/instance-row.ts'
import type { Sql } from './sql.ts'

/** Begins the public id of a key that serves one process and dies with it. */
const PROCESS_PREFIX = 'process'

const API_KEY = /^kopeck_([0-9a-z]{1,32})_([A-Za-z0-9_-]{43})$/

/** Compared against when there is no key, so that both cases take the same steps. */
const NO_HASH = Buffer.alloc(32)

/** SQL: whether a key's row opens anything. */
export function validKeySql(key: string): string {
  return `(${key}.revoked_at IS NULL AND (${key}.expires_at IS NULL OR ${key}.expires_at > now()))`
}

export interface ApiKey {
  publicId: string
  accountId: number
  revoked: boolean
  /** Undefined for one that was never used. */
  lastUsedAt: Date | undefined
}

/** Makes a key for an account. @returns The whole key: it cannot be read again. */
export async function createApiKey(sql: Sql, accountId: number): Promise<string> {
  return await insertKey(sql, accountId, randomBytes(8).toString('hex'))
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
  return await insertKey(sql, accountId, publicId)
}

/** @returns The account that the key opens; undefined for anything that is not a valid key. */
export async function findAccountByApiKey(
  sql: Sql,
  apiKey: string,
): Promise<{ id: number } | undefined> {
  const key = parseApiKey(apiKey)
  if (key === undefined) return undefined
  const { rows } = await sql.query<{ account_id: number; secret_hash: Buffer }>({
    name: 'api-key-find',
    text: `SELECT account_id, secret_hash FROM service.api_key
           WHERE public_id = $1 AND ${validKeySql('api_key')}`,
    values: [key.publicId],
  })
  const row = rows[0]
  const matches = timingSafeEqual(key.secretHash, row?.secret_hash ?? NO_HASH)
  return row !== undefined && matches ? { id: row.account_id } : undefined
}

/** @returns A key's name and what its secret is compared by; undefined for a text that is none. */
export function parseApiKey(apiKey: string): { publicId: string; secretHash: Buffer } | undefined {
  const [, publicId, secret] = API_KEY.exec(apiKey) ?? []
  if (publicId === undefined || secret === undefined) return undefined
  return { publicId, secretHash: hashSecret(secret) }
}

/** @returns The part of a key that names it; undefined for a text that is none. */
export function toPublicId(apiKey: string): string | undefined {
  return API_KEY.exec(apiKey)?.[1]
}

/** @returns Every key of every account, oldest first. */
export async function listApiKeys(sql: Sql): Promise<ApiKey[]> {
  const { rows } = await sql.query<{
    public_id: string
    account_id: number
    revoked: boolean
    last_used_at: Date | null
  }>({
    name: 'api-key-list',
    text: `SELECT public_id, account_id, revoked_at IS NOT NULL AS revoked, last_used_at
           FROM service.api_key ORDER BY created_at, public_id`,
  })
  return rows.map((row) => ({
    publicId: row.public_id,
    accountId: row.account_id,
    revoked: row.revoked,
    lastUsedAt: row.last_used_at ?? undefined,
  }))
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

async function insertKey(sql: Sql, accountId: number, publicId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await sql.query({
    name: 'api-key-create',
    text: 'INSERT INTO service.api_key (public_id, account_id, secret_hash) VALUES ($1, $2, $3)',
    values: [publicId, accountId, hashSecret(secret)],
  })
  return `kopeck_${publicId}_${secret}`
}

/** The secret is random enough that a slow hash would add nothing. */
function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
