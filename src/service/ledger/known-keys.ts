/**
 * The API keys that this process has seen to be valid, and when they were last used.
 *
 * Invariants:
 * - a remembered key is a hint and proves nothing, for any process may have revoked or changed the key since. It
 *   saves a request the look-up where the key is proved later anyway: by `hold()`, in the statement that
 *   charges. Only a key that was valid once is recalled, and a secret is remembered as its hash only;
 * - a key's last use is written at most once a minute, over all processes, and no request waits for it.
 *   It may be late by that much, and uses that a killed process had not written are lost. The last use of a
 *   revoked key stays as it is.
 */
import { timingSafeEqual } from 'node:crypto'
import { findAccountByApiKey, KEY_IS_VALID_SQL, type KeyTerms, parseApiKey } from './api-keys.ts'
import type { Sql } from './sql.ts'

const KEYS_MAX = 10_000
const WRITE_INTERVAL_MS = 60_000

const RECORD_USE = `
  UPDATE service.api_key SET last_used_at = now()
  WHERE public_id = $1 AND ${KEY_IS_VALID_SQL}
    AND (last_used_at IS NULL OR last_used_at <= now() - interval '${WRITE_INTERVAL_MS} milliseconds')`

/** An account, and the key that opened it. */
export interface KeyedAccount extends Partial<Pick<KeyTerms, 'models'>> {
  id: number
  keyId: string
}

export interface KnownKeysDeps {
  sql: Sql
  onError: (error: unknown) => void
  keysMax?: number
  nowMs?: () => number
}

export type KnownKeys = ReturnType<typeof createKnownKeys>

/** Remembers the keys that `find()` has found, up to `keysMax`; then the one found first is forgotten. */
export function createKnownKeys({
  sql,
  onError,
  keysMax = KEYS_MAX,
  nowMs = () => performance.now(),
}: KnownKeysDeps) {
  const known = new Map<string, { secretHash: Buffer; account: KeyedAccount }>()
  const writtenMs = new Map<string, number>()
  const writing = new Set<Promise<unknown>>()
  return { find, recall, forget, settle }

  async function find(apiKey: string): Promise<KeyedAccount | undefined> {
    const key = parseApiKey(apiKey)
    if (key === undefined) return undefined
    const { publicId: keyId, secretHash } = key
    const found = await findAccountByApiKey(sql, apiKey)
    forget(apiKey)
    if (found === undefined) return undefined
    known.set(keyId, { secretHash, account: { ...found, keyId } })
    const [first] = known.keys()
    if (known.size > keysMax && first !== undefined) known.delete(first)
    return recall(apiKey)
  }

  function recall(apiKey: string): KeyedAccount | undefined {
    const account = match(apiKey)
    if (account !== undefined) recordUse(account.keyId)
    return account
  }

  /** Has the key looked up next time. A wrong secret does not make the process forget the right one. */
  function forget(apiKey: string): void {
    const account = match(apiKey)
    if (account !== undefined) known.delete(account.keyId)
  }

  async function settle(): Promise<void> {
    await Promise.all(writing)
  }

  function match(apiKey: string): KeyedAccount | undefined {
    const key = parseApiKey(apiKey)
    const found = key && known.get(key.publicId)
    return found && timingSafeEqual(key.secretHash, found.secretHash) ? found.account : undefined
  }

  function recordUse(keyId: string): void {
    const lastMs = writtenMs.get(keyId)
    if (lastMs !== undefined && nowMs() - lastMs < WRITE_INTERVAL_MS) return
    writtenMs.set(keyId, nowMs())
    const written = sql
      .query({ name: 'api-key-record-use', text: RECORD_USE, values: [keyId] })
      .catch(onError)
      .finally(() => writing.delete(written))
    writing.add(written)
  }
}
