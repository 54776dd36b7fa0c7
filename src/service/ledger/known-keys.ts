/**
 * The API keys that this process has seen to be valid: hints, which save a look-up if `hold()` proves the key anyway.
 * A key's last use is written at most once a minute, over all processes, and no request waits for it.
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

export interface KeyedAccount extends Partial<Pick<KeyTerms, 'models'>> {
  id: number
  keyId: string
}

interface KnownKey {
  secretHash: Buffer
  account: KeyedAccount
  writtenMs: number
}

interface KnownKeysContext {
  sql: Sql
  onError: (error: unknown) => void
  nowMs?: () => number
}

export class KnownKeys {
  readonly #sql: Sql
  readonly #onError: (error: unknown) => void
  readonly #nowMs: () => number
  readonly #known = new Map<string, KnownKey>()
  readonly #writing = new Set<Promise<unknown>>()

  constructor({ sql, onError, nowMs = () => performance.now() }: KnownKeysContext) {
    this.#sql = sql
    this.#onError = onError
    this.#nowMs = nowMs
  }

  async find(apiKey: string): Promise<KeyedAccount | undefined> {
    const found = await findAccountByApiKey(this.#sql, apiKey)
    if (found === undefined) {
      this.forget(apiKey)
      return undefined
    }
    const { secretHash, ...account } = found
    const { keyId } = account
    const { writtenMs = Number.NEGATIVE_INFINITY } = this.#known.get(keyId) ?? {}
    this.#known.set(keyId, { secretHash, account, writtenMs })
    const [first] = this.#known.keys()
    if (this.#known.size > KEYS_MAX && first !== undefined) this.#known.delete(first)
    return this.recall(apiKey)
  }

  recall(apiKey: string): KeyedAccount | undefined {
    const known = this.#match(apiKey)
    if (known !== undefined) this.#recordUse(known)
    return known?.account
  }

  /** Evicts a key, so that it is looked up next time. A wrong secret does not evict the right one. */
  forget(apiKey: string): void {
    const known = this.#match(apiKey)
    if (known !== undefined) this.#known.delete(known.account.keyId)
  }

  async settle(): Promise<void> {
    await Promise.all(this.#writing)
  }

  #match(apiKey: string): KnownKey | undefined {
    const key = parseApiKey(apiKey)
    const known = key && this.#known.get(key.publicId)
    return known && timingSafeEqual(key.secretHash, known.secretHash) ? known : undefined
  }

  #recordUse(known: KnownKey): void {
    if (this.#nowMs() - known.writtenMs < WRITE_INTERVAL_MS) return
    known.writtenMs = this.#nowMs()
    const values = [known.account.keyId]
    const written = this.#sql
      .query({ name: 'api-key-record-use', text: RECORD_USE, values })
      .catch(this.#onError)
      .finally(() => this.#writing.delete(written))
    this.#writing.add(written)
  }
}
