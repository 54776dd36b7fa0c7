/** Judges requests that take money, one by one: the only place that refuses. The account is locked first. */
import type { AccountState } from './accounts.ts'
import { KEY_IS_VALID_SQL, mayUseModel } from './api-keys.ts'
import { type LimitStanding, type RefusalReason, RequestRefusedError } from './errors.ts'
import { admit, NOW_MS_SQL, type RateLimit, type RateWindow, roomOf } from './rate-window.ts'
import { findRow, lockAccount, type Sql } from './sql.ts'

/** A request to take money from an account, through a key, for a model. */
export interface Debit {
  accountId: number
  keyId: string
  limit: RateLimit
  model: string
  amountMicroRub: bigint
}

/** The rows that a debit is judged by. */
export interface Books {
  state: AccountState
  balance: bigint
  window: RateWindow | null
  requestsMax: number | null
  isKeyValid: boolean
  models: string[] | null
  spendLimit: bigint | null
  spent: bigint
  keyWindow: RateWindow | null
  requestsPerMinute: number | null
  nowMs: number
}

const readSql = (kind: RateLimit['kind']) => `
  SELECT state, balance_micro_rub AS balance, to_json(account.${kind}_window) AS "window", ${kind}_max AS "requestsMax",
    ${KEY_IS_VALID_SQL} AS "isKeyValid", models, spend_limit_micro_rub AS "spendLimit", spent_micro_rub AS spent,
    to_json(api_key.chat_window) AS "keyWindow", requests_per_minute AS "requestsPerMinute", ${NOW_MS_SQL} AS "nowMs"
  FROM service.account JOIN service.api_key ON account_id = account.id AND public_id = $2
  WHERE account.id = $1`

/** Locks and reads the rows that a debit is judged by. Call it in a transaction. */
export async function openBooks(
  sql: Sql,
  { accountId, keyId, limit: { kind } }: Debit,
): Promise<Books> {
  await lockAccount(sql, accountId)
  const values = [accountId, keyId]
  const books = await findRow<Books>(sql, readSql(kind), values, `books-${kind}`)
  if (books === undefined) throw new RequestRefusedError({ code: 'invalid_key' })
  return books
}

export function refuseAccess(books: Books, model: string): RequestRefusedError | undefined {
  if (!books.isKeyValid || books.state === 'closed') {
    return new RequestRefusedError({ code: 'invalid_key' })
  }
  return mayUseModel(books, model)
    ? undefined
    : new RequestRefusedError({ code: 'model_not_allowed' })
}

/** True if no batch serves the key: what it spends is recorded, or it has a rate. */
export function hasLimitedKey({ spendLimit, requestsPerMinute }: Books): boolean {
  return spendLimit !== null || requestsPerMinute !== null
}

/** Judges a debit, and takes its money. Commit after a refusal too: a request without money counts towards the limits. */
export async function takeMoney(
  sql: Sql,
  books: Books,
  debit: Debit,
): Promise<LimitStanding | RequestRefusedError> {
  const { nowMs } = books
  const refusal = refuseAccess(books, debit.model)
  if (refusal !== undefined) return refusal
  if (books.state === 'frozen') return new RequestRefusedError({ code: 'account_frozen' })
  const rooms = [roomOf(books.window, books.requestsMax ?? debit.limit.requestsMax, nowMs)]
  const rate = debit.limit.kind === 'chat' ? books.requestsPerMinute : null
  if (rate !== null) rooms.push(roomOf(books.keyWindow, rate, nowMs))
  const standing = admit(rooms)
  if (standing instanceof RequestRefusedError) return standing
  const shortage = findShortage(books, debit.amountMicroRub)
  await write(sql, books, shortage === undefined ? debit : { ...debit, amountMicroRub: 0n })
  return shortage === undefined ? standing : new RequestRefusedError(shortage, standing)
}

function findShortage(
  { balance, spendLimit: limitMicroRub, spent }: Books,
  neededMicroRub: bigint,
): RefusalReason | undefined {
  if (balance < neededMicroRub) {
    return { code: 'balance_too_low', neededMicroRub, availableMicroRub: balance }
  }
  if (limitMicroRub === null || spent + neededMicroRub <= limitMicroRub) return undefined
  return {
    code: 'spend_limit_reached',
    neededMicroRub,
    limitMicroRub,
    leftMicroRub: limitMicroRub > spent ? limitMicroRub - spent : 0n,
  }
}

const writeSql = (kind: RateLimit['kind']) => `
  UPDATE service.account
  SET balance_micro_rub = balance_micro_rub - $2, ${kind}_window = service.window_add(${kind}_window, $3, 1)
  WHERE id = $1`

const WRITE_KEY = `
  UPDATE service.api_key
  SET spent_micro_rub = spent_micro_rub + CASE WHEN spend_limit_micro_rub IS NULL THEN 0 ELSE $2::bigint END,
    chat_window = CASE WHEN $4 THEN service.window_add(chat_window, $3, 1) ELSE chat_window END
  WHERE public_id = $1`

async function write(sql: Sql, books: Books, { accountId, keyId, limit, amountMicroRub }: Debit) {
  const { kind } = limit
  const { nowMs, requestsPerMinute } = books
  const values = [accountId, amountMicroRub, nowMs]
  await sql.query({ name: `books-write-${kind}`, text: writeSql(kind), values })
  if (!hasLimitedKey(books)) return
  const isRated = kind === 'chat' && requestsPerMinute !== null
  const keyValues = [keyId, amountMicroRub, nowMs, isRated]
  await sql.query({ name: 'books-write-key', text: WRITE_KEY, values: keyValues })
}
