import { timingSafeEqual } from 'node:crypto'
import { KEY_IS_VALID_SQL, type KeyTerms, parseApiKey } from './api-keys.ts'
import { findRow, type Sql } from './sql.ts'

const KEYS_MAX = 10_000

/** The hash that is compared when there is no key, so that both cases take the same steps. */
const NO_HASH = Buffer.alloc(32)

export interface KeyedAccount extends Partial<Pick<KeyTerms, 'models'>> {
  id: number
  keyId: string
}

type FoundAccount = KeyedAccount & { secretHash: Buffer }

const FIND_ACCOUNT = `
  SELECT account_id AS id, public_id AS "keyId", secret_hash AS "secretHash", models FROM service.api_key
  WHERE public_id = $1 AND ${KEY_IS_VALID_SQL} AND EXISTS (
    SELECT FROM service.account WHERE account.id = account_id AND account.state <> 'closed')`

/** The API keys that this process has seen to be valid: hints, which save a look-up if `hold()` proves the key anyway. */
export class KnownKeys {
  readonly #sql: Sql
  /** By the whole key: to hash the key of each request would take 6 µs. */
  readonly #known = new Map<string, KeyedAccount>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async find(apiKey: string): Promise<KeyedAccount | undefined> {
    const key = parseApiKey(apiKey)
    if (key === undefined) return undefined
    const { publicId, secretHash } = key
    const found = await findRow<FoundAccount>(this.#sql, FIND_ACCOUNT, [publicId], 'api-key-find')
    if (!timingSafeEqual(secretHash, found?.secretHash ?? NO_HASH) || found === undefined) {
      this.forget(apiKey)
      return undefined
    }
    const { secretHash: _, ...account } = found
    this.#known.set(apiKey, account)
    const [first] = this.#known.keys()
    if (this.#known.size > KEYS_MAX && first !== undefined) this.#known.delete(first)
    return this.recall(apiKey)
  }

  recall(apiKey: string): KeyedAccount | undefined {
    return this.#known.get(apiKey)
  }

  /** Evicts a key, so that it is looked up next time. */
  forget(apiKey: string): void {
    this.#known.delete(apiKey)
  }
}
