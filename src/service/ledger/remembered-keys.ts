/**
 * The API keys that this process has seen to be valid.
 *
 * Invariant: what is remembered is a hint and proves nothing, for any process may have revoked the key
 * since. It saves a request the look-up where the key is proved later anyway: by `hold()`, in the
 * statement that charges. Only a key that was valid once is recalled, and a secret is
 * remembered as its hash only.
 */
import { timingSafeEqual } from 'node:crypto'
import { findAccountByApiKey, parseApiKey } from './api-keys.ts'
import type { Sql } from './sql.ts'

const KEYS_MAX = 10_000

/** An account, and the key that opened it. */
export interface KeyedAccount {
  id: number
  /** The key's public id. */
  keyId: string
}

export interface RememberedKeys {
  /** Looks a key up. @returns The account that it opens; undefined if it is not valid. */
  find(apiKey: string): Promise<KeyedAccount | undefined>
  /** @returns The account that the key opened when it was last looked up; undefined if it is not remembered. */
  recall(apiKey: string): KeyedAccount | undefined
  /** Has the key looked up next time. */
  forget(apiKey: string): void
}

/**
 * Remembers the keys that `find()` has found, up to `keysMax`; then the one found first is forgotten.
 *
 * @param onUse Called with each key that opened an account, looked up or recalled.
 */
export function createRememberedKeys({
  sql,
  onUse,
  keysMax = KEYS_MAX,
}: {
  sql: Sql
  onUse: (apiKey: string) => void
  keysMax?: number
}): RememberedKeys {
  const remembered = new Map<string, { secretHash: Buffer; account: KeyedAccount }>()
  return { find, recall, forget }

  async function find(apiKey: string): Promise<KeyedAccount | undefined> {
    const key = parseApiKey(apiKey)
    if (key === undefined) return undefined
    const found = await findAccountByApiKey(sql, apiKey)
    forget(apiKey)
    if (found === undefined) return undefined
    const account = { id: found.id, keyId: key.publicId }
    remembered.set(key.publicId, { secretHash: key.secretHash, account })
    const [first] = remembered.keys()
    if (remembered.size > keysMax && first !== undefined) remembered.delete(first)
    onUse(apiKey)
    return account
  }

  function recall(apiKey: string): KeyedAccount | undefined {
    const account = match(apiKey)
    if (account !== undefined) onUse(apiKey)
    return account
  }

  /** A wrong secret does not make anybody forget the right one. */
  function forget(apiKey: string): void {
    const account = match(apiKey)
    if (account !== undefined) remembered.delete(account.keyId)
  }

  function match(apiKey: string): KeyedAccount | undefined {
    const key = parseApiKey(apiKey)
    const known = key && remembered.get(key.publicId)
    if (key === undefined || known === undefined) return undefined
    return timingSafeEqual(key.secretHash, known.secretHash) ? known.account : undefined
  }
}
