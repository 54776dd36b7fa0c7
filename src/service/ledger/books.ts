/**
 * The books of one account while its requests are judged: the only place that refuses.
 *
 * In: requests that take money, of one account. Out: each is taken, or refused with a reason.
 * Invariants: the account's row is locked first and its keys' rows after it, so that the rows are those of this
 * moment; requests are judged one after the other, each by what the former left; `close()` writes what they changed.
 */
import type { AccountState } from './accounts.ts'
import { COUNTED_FROM_SQL, COUNTED_SPEND_SQL, KEY_IS_VALID_SQL, RENEWS_AT_SQL } from './api-keys.ts'
import { type LimitStanding, type RefusalReason, RequestRefusedError } from './errors.ts'
import {
  addTo,
  type RateLimit,
  type RateWindow,
  refuseFull,
  roomOf,
  toStanding,
  toWindow,
  type WindowRow,
  windowSql,
} from './rate-window.ts'
import type { Sql } from './sql.ts'

/** A request to take money from an account, through a key, for a model. */
export interface Debit {
  accountId: number
  keyId: string
  limit: RateLimit
  model: string
  /** Millionths of a rouble, >= 0. */
  amountMicroRub: bigint
}

/** What became of a debit: refused, or taken. */
export type Judgement =
  | { refusal: RequestRefusedError }
  | {
      refusal?: undefined
      standing: LimitStanding
      /** The beginning of the key's period that the money counts in, as PostgreSQL writes it. */
      countedIn: string | null
    }

interface AccountRow extends WindowRow {
  state: AccountState
  balance: string
  requestsMax: number | null
}

interface KeyRow extends WindowRow {
  publicId: string
  isValid: boolean
  models: string[] | null
  spendLimit: string | null
  spent: string
  counted: string
  countedFrom: string | null
  renewsAt: Date | null
  requestsPerMinute: number | null
  nowMs: number
}

interface Key {
  row: KeyRow
  window: RateWindow
  spent: bigint
  counted: bigint
  hasChanged: boolean
}

const READ_KEYS = `
  SELECT public_id AS "publicId", ${KEY_IS_VALID_SQL} AS "isValid", models,
    spend_limit_micro_rub AS "spendLimit", spent_micro_rub AS spent, ${COUNTED_SPEND_SQL} AS counted,
    (${COUNTED_FROM_SQL})::text AS "countedFrom", ${RENEWS_AT_SQL} AS "renewsAt",
    requests_per_minute AS "requestsPerMinute", ${windowSql('chat_window')},
    floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
  FROM service.api_key WHERE account_id = $1 AND public_id = ANY ($2) ORDER BY public_id FOR UPDATE`

export class Books {
  readonly #accountId: number
  readonly #limit: RateLimit
  readonly #state: AccountState
  readonly #requestsMax: number
  readonly #keys: ReadonlyMap<string, Key>
  #balance: bigint
  #window: RateWindow
  #hasChanged = false

  private constructor(
    accountId: number,
    limit: RateLimit,
    account: AccountRow,
    keys: readonly KeyRow[],
  ) {
    this.#accountId = accountId
    this.#limit = limit
    this.#state = account.state
    this.#requestsMax = account.requestsMax ?? limit.requestsMax
    this.#balance = BigInt(account.balance)
    this.#window = toWindow(account)
    this.#keys = new Map(
      keys.map((row) => [
        row.publicId,
        {
          row,
          window: toWindow(row),
          spent: BigInt(row.spent),
          counted: BigInt(row.counted),
          hasChanged: false,
        },
      ]),
    )
  }

  /** Locks the rows. Call it in a transaction, and `close()` before its end. @param limit The same for all debits. */
  static async open(
    sql: Sql,
    accountId: number,
    { limit, keyIds }: { limit: RateLimit; keyIds: readonly string[] },
  ): Promise<Books> {
    const { kind } = limit
    const accounts = await sql.query<AccountRow>({
      name: `books-account-${kind}`,
      text: `SELECT state, balance_micro_rub AS balance, ${windowSql(`${kind}_window`)}, ${kind}_max AS "requestsMax"
        FROM service.account WHERE id = $1 FOR UPDATE`,
      values: [accountId],
    })
    const [account] = accounts.rows
    if (account === undefined) throw new RequestRefusedError({ code: 'invalid_key' })
    const keys = await sql.query<KeyRow>({
      name: 'books-keys',
      text: READ_KEYS,
      values: [accountId, [...new Set(keyIds)]],
    })
    return new Books(accountId, limit, account, keys.rows)
  }

  /** Checks what comes before everything else. Nothing is counted. */
  refuseAccess({ keyId, model }: Debit): RequestRefusedError | undefined {
    const row = this.#keys.get(keyId)?.row
    if (row?.isValid !== true || this.#state === 'closed') {
      return new RequestRefusedError({ code: 'invalid_key' })
    }
    if (row.models?.includes(model) === false) {
      return new RequestRefusedError({ code: 'model_not_allowed' })
    }
    return undefined
  }

  /** True if every request of the key has to be judged here. */
  isLimited(keyId: string): boolean {
    const row = this.#keys.get(keyId)?.row
    return row !== undefined && (row.spendLimit ?? row.requestsPerMinute) !== null
  }

  /** Judges one debit, and takes its money. A request that the money does not suffice for counts towards the limits. */
  judge(debit: Debit): Judgement {
    const key = this.#keys.get(debit.keyId)
    const refusal = this.refuseAccess(debit)
    if (refusal !== undefined || key === undefined) {
      return { refusal: refusal ?? new RequestRefusedError({ code: 'invalid_key' }) }
    }
    if (this.#state === 'frozen') {
      return { refusal: new RequestRefusedError({ code: 'account_frozen' }) }
    }
    const { nowMs } = key.row
    const rate = this.#limit.kind === 'chat' ? key.row.requestsPerMinute : null
    const readRooms = () => [
      roomOf(this.#window, this.#requestsMax, nowMs),
      ...(rate === null ? [] : [roomOf(key.window, rate, nowMs)]),
    ]
    const full = refuseFull(readRooms())
    if (full !== undefined) return { refusal: full }
    this.#window = addTo(this.#window, nowMs)
    this.#hasChanged = true
    if (rate !== null) key.window = addTo(key.window, nowMs)
    key.hasChanged ||= rate !== null
    const [nearest] = readRooms()
      .map(toStanding)
      .sort((one, other) => one.requestsLeft - other.requestsLeft)
    const standing = nearest as LimitStanding
    const poor = this.#refusePoor(key, debit.amountMicroRub)
    if (poor !== undefined) return { refusal: new RequestRefusedError(poor, standing) }
    return { standing, countedIn: this.#take(key, debit.amountMicroRub) }
  }

  #refusePoor({ row, counted }: Key, neededMicroRub: bigint): RefusalReason | undefined {
    if (this.#balance < neededMicroRub) {
      return { code: 'balance_too_low', neededMicroRub, availableMicroRub: this.#balance }
    }
    if (row.spendLimit === null) return undefined
    const limitMicroRub = BigInt(row.spendLimit)
    const leftMicroRub = limitMicroRub > counted ? limitMicroRub - counted : 0n
    if (neededMicroRub <= leftMicroRub) return undefined
    const renewsAt = row.renewsAt ?? undefined
    return { code: 'spend_limit_reached', neededMicroRub, limitMicroRub, leftMicroRub, renewsAt }
  }

  #take(key: Key, amountMicroRub: bigint): string | null {
    this.#balance -= amountMicroRub
    if (key.row.spendLimit === null) return null
    key.spent += amountMicroRub
    key.counted += amountMicroRub
    key.hasChanged = true
    return key.row.countedFrom
  }

  async close(sql: Sql): Promise<void> {
    if (!this.#hasChanged) return
    const { kind } = this.#limit
    const { instants, totals } = this.#window
    await sql.query({
      name: `books-close-${kind}`,
      text: `UPDATE service.account SET balance_micro_rub = $2, ${kind}_window = ROW($3::bigint[], $4::bigint[]) WHERE id = $1`,
      values: [this.#accountId, `${this.#balance}`, instants, totals],
    })
    for (const [publicId, { row, spent, counted, window, hasChanged }] of this.#keys) {
      if (!hasChanged) continue
      await sql.query({
        name: 'books-close-key',
        text: `UPDATE service.api_key SET spent_micro_rub = $2, chat_window = ROW($3::bigint[], $4::bigint[]),
          period_began_at = $5::timestamptz, period_spent_micro_rub = CASE WHEN $5 IS NULL THEN 0 ELSE $6::bigint END
          WHERE public_id = $1`,
        values: [
          publicId,
          `${spent}`,
          window.instants,
          window.totals,
          row.countedFrom,
          `${counted}`,
        ],
      })
    }
  }
}
