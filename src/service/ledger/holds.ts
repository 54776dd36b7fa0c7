/**
 * The estimates of chat requests, taken before the provider is called: row and money are one transaction.
 * One statement takes a batch that balance, limits and keys leave room for; books.ts judges the others.
 */
import { randomUUID } from 'node:crypto'
import { SKIPPED, UNUSUAL } from './batcher.ts'
import { type Debit, hasLimitedKey, openBooks, refuseAccess, takeMoney } from './books.ts'
import { type LimitStanding, RequestRefusedError } from './errors.ts'
import type { TokenPrices } from './price-tokens.ts'
import { WINDOW_MS } from './rate-window.ts'
import { findRow, inTransaction, type Pool, readRow, type Sql, Unnest } from './sql.ts'

/** Makes a UUID v7: an id of its time. Node caches random bytes only for `randomUUID()`. */
export function createRequestId(atMs = Date.now()): string {
  // Retention of a hundred years reaches back before 1970.
  const time = Math.max(0, atMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

export interface Repeatable {
  idempotencyKey: string
  requestHash: string
}

export interface HoldRequest extends Debit {
  /** A UUID v7, made by the caller before anything is sent. */
  requestId: string
  /** The model's prices, which the request keeps. */
  prices: TokenPrices
  usdMicroRub?: bigint | undefined
  leaseOwner: number
  repeatable?: Repeatable | undefined
}

export interface PricedHold extends HoldRequest {
  priceId: number
}

/** Held; or the answer of the first request with the same idempotency key: this request takes and counts nothing. */
export type Held =
  | { standing: LimitStanding; answer?: never; isLimited: boolean }
  | { standing?: never; answer: object; isLimited: boolean }

const HOLDS = new Unnest<PricedHold>({
  account_id: ['int', ({ accountId }) => accountId],
  id: ['uuid', ({ requestId }) => requestId],
  key_id: ['text', ({ keyId }) => keyId],
  model: ['text', ({ model }) => model],
  price_id: ['int', ({ priceId }) => priceId],
  held_micro_rub: ['bigint', ({ amountMicroRub }) => amountMicroRub],
  lease_owner: ['int', ({ leaseOwner }) => leaseOwner],
  requests_max: ['int', ({ limit }) => limit.requestsMax],
})
const COLUMNS = 'account_id, id, key_id, model, price_id, held_micro_rub, lease_owner'

/** An account's requests of one batch are all taken, or none. The window is that of the row's newest version. */
const holdSql = (lock: string) => `
  WITH asked AS (
    SELECT * FROM ${HOLDS.sql}
  ), sums AS (
    SELECT asked.account_id, count(*)::int AS requests, sum(held_micro_rub)::bigint AS amount, array_agg(key_id) AS keys,
      min(requests_max) AS requests_max, bool_and(public_id IS NOT NULL) AS are_valid
    FROM asked LEFT JOIN service.api_key ON public_id = key_id AND api_key.account_id = asked.account_id
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      AND (models IS NULL OR model = ANY (models))
    GROUP BY asked.account_id
  ), free AS (
    SELECT id, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
    FROM service.account WHERE id = ANY ($1) ORDER BY id ${lock}
  ), paid AS (
    UPDATE service.account
    SET balance_micro_rub = balance_micro_rub - amount, chat_window = service.window_add(chat_window, now_ms, requests)
    FROM sums JOIN free ON free.id = account_id
    WHERE account.id = free.id AND are_valid AND state = 'open' AND NOT limited_keys && keys
      AND balance_micro_rub >= amount
      AND service.window_used(chat_window, now_ms) + requests <= COALESCE(chat_max, requests_max)
    RETURNING account.id AS payer_id, COALESCE(chat_max, requests_max) AS max,
      COALESCE(chat_max, requests_max) - service.window_used(chat_window, now_ms) AS "left"
  ), made AS (
    INSERT INTO service.request (${COLUMNS}) SELECT ${COLUMNS} FROM asked JOIN paid ON payer_id = account_id
  )
  SELECT account_id AS "accountId", free.id IS NOT NULL AS "isFree", max, "left"
  FROM sums LEFT JOIN free ON free.id = account_id LEFT JOIN paid ON payer_id = account_id`

const HOLD = {
  free: { name: 'hold-batch', text: holdSql('FOR UPDATE SKIP LOCKED') },
  locked: { name: 'hold-waiting', text: holdSql('FOR UPDATE') },
}

interface HoldRow {
  accountId: number
  isFree: boolean
  max: number | null
  left: number | null
}

export async function holdBatch(
  sql: Sql,
  requests: readonly PricedHold[],
  waits: boolean,
): Promise<(Held | typeof SKIPPED | typeof UNUSUAL)[]> {
  const statement = waits ? HOLD.locked : HOLD.free
  const { rows } = await sql.query<HoldRow>({ ...statement, values: HOLDS.valuesOf(requests) })
  const ofAccounts = new Map(rows.map((row) => [row.accountId, row]))
  // The last request of an account has what is left.
  const outcomes = requests.toReversed().map(({ accountId }) => {
    const row = ofAccounts.get(accountId)
    if (row?.isFree !== true) return SKIPPED
    const { max: requestsMax, left: requestsLeft } = row
    if (requestsMax === null || requestsLeft === null) return UNUSUAL
    row.left = requestsLeft + 1
    return { standing: { requestsMax, requestsLeft, resetMs: WINDOW_MS }, isLimited: false }
  })
  return outcomes.reverse()
}

const INSERT = `
  INSERT INTO service.request (${COLUMNS}, idempotency_key, request_hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

/** Judges one request, and takes its estimate. @throws {RequestRefusedError} Nothing is taken. */
export async function holdSingle(pool: Pool, request: PricedHold): Promise<Held> {
  const held = await inTransaction(pool, async (sql) => {
    const books = await openBooks(sql, request)
    const refusal = refuseAccess(books, request.model)
    if (refusal !== undefined) return refusal
    const isLimited = hasLimitedKey(books)
    const answer = await findAnswer(sql, request)
    if (answer !== undefined) return { answer, isLimited }
    const standing = await takeMoney(sql, books, request)
    if (standing instanceof RequestRefusedError) return standing
    const { accountId, requestId, keyId, model, priceId, leaseOwner, repeatable } = request
    const values = [
      ...[accountId, requestId, keyId, model, priceId, request.amountMicroRub, leaseOwner],
      ...[repeatable?.idempotencyKey, repeatable?.requestHash],
    ]
    await sql.query({ name: 'hold-insert', text: INSERT, values })
    return { standing, isLimited }
  })
  if (held instanceof RequestRefusedError) throw held
  return held
}

interface First {
  requestHash: string
  /** Released, or its client left before there was an answer: the key is free for another request. */
  isFree: boolean
  answer: Buffer | null
}

const FIND_FIRST = `
  SELECT request_hash AS "requestHash", answer,
    COALESCE(end_state = 'released' OR end_state = 'settled' AND end_reason = 'left', false) AS "isFree"
  FROM service.request WHERE account_id = $1 AND idempotency_key = $2`

// A guess becomes the truth: the late end of the first would otherwise charge beside the second.
const FREE = `
  UPDATE service.request
  SET idempotency_key = NULL, end_reason = CASE end_state WHEN 'released' THEN 'withdrawn' ELSE end_reason END
  WHERE account_id = $1 AND idempotency_key = $2`

/** Finds the answer of the first request with the same idempotency key. Returns undefined if there is none. */
async function findAnswer(
  sql: Sql,
  { accountId, repeatable }: PricedHold,
): Promise<object | undefined> {
  if (repeatable === undefined) return undefined
  const values = [accountId, repeatable.idempotencyKey]
  const first = await findRow<First>(sql, FIND_FIRST, values)
  if (first === undefined) return undefined
  if (first.isFree) {
    await sql.query(FREE, values)
    return undefined
  }
  if (first.requestHash !== repeatable.requestHash) {
    throw new RequestRefusedError({ code: 'idempotency_key_reused' })
  }
  if (first.answer === null) throw new RequestRefusedError({ code: 'request_under_way' })
  return JSON.parse(first.answer.toString('utf8'))
}

/** A statement that is still on its way finds the id in use, and is undone whole. */
const WITHDRAW = `
  INSERT INTO service.request (${COLUMNS}, cost_micro_rub, ended_at, end_state, end_reason)
  VALUES ($1, $2, $3, $4, NULL, 0, $5, 0, now(), 'released', 'withdrawn') ON CONFLICT DO NOTHING`

/** Makes sure that a hold whose statement lost its answer is not taken later. Returns false if it has been taken. */
export async function withdraw(sql: Sql, request: HoldRequest): Promise<boolean> {
  const { accountId, requestId, keyId, model, leaseOwner } = request
  const values = [accountId, requestId, keyId, model, leaseOwner]
  const { rowCount } = await sql.query({ name: 'hold-withdraw', text: WITHDRAW, values })
  return rowCount === 1
}

const FIND_PRICE = `
  INSERT INTO service.price AS known (model, terms) VALUES ($1, $2)
  ON CONFLICT (model, terms) DO UPDATE SET model = known.model RETURNING id`

export async function findPrice(sql: Sql, model: string, terms: string): Promise<number> {
  return (await readRow<{ id: number }>(sql, FIND_PRICE, [model, terms])).id
}
