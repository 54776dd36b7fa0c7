/**
 * The estimates of chat requests, taken before the provider is called.
 *
 * In: requests. Out: each is held (its row is there and its money is taken), or refused.
 * Invariants: row and money are one transaction; a request of a valid key that the balance, the limits and the key
 * leave room for is taken by one statement for a whole batch; the others are judged by books.ts.
 * A plain chat that is asked for again with its idempotency key gets the answer of the first, or waits for it.
 */
import { Books, type Debit } from './books.ts'
import { type LimitStanding, RequestRefusedError } from './errors.ts'
import { SKIPPED, UNUSUAL } from './lane.ts'
import type { TokenPrices } from './price-tokens.ts'
import { WINDOW_MS } from './rate-window.ts'
import { inTransaction, type Pool, type Sql } from './sql.ts'

/** What makes a request repeatable. */
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

/** A request with the row of its prices. */
export interface PricedHold extends HoldRequest {
  priceId: number
}

/** Held; or the answer of the first request with the same idempotency key: nothing is taken or counted for this one. */
export type Held =
  | { standing: LimitStanding; answer?: never; isLimited: boolean }
  | { standing?: never; answer: object; isLimited: boolean }

export type HoldOutcome = Held | RequestRefusedError

const COLUMNS = 'account_id, id, key_id, model, price_id, held_micro_rub, lease_owner'

// An account's requests of one batch are all taken, or none. The window is that of the row's newest version.
const HOLD = `
  WITH asked AS (
    SELECT * FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::int[], $8::int[])
      AS asked (${COLUMNS}, requests_max)
  ), sums AS (
    SELECT asked.account_id, count(*)::int AS requests, sum(held_micro_rub)::bigint AS amount, array_agg(key_id) AS keys,
      min(requests_max) AS requests_max, bool_and(public_id IS NOT NULL) AS are_valid
    FROM asked LEFT JOIN service.api_key ON public_id = key_id AND api_key.account_id = asked.account_id
      AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      AND (models IS NULL OR model = ANY (models))
    GROUP BY asked.account_id
  ), free AS (
    SELECT id, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms
    FROM service.account WHERE id = ANY ($1) ORDER BY id FOR UPDATE SKIP LOCKED
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

interface HoldRow {
  accountId: number
  isFree: boolean
  max: number | null
  left: number | null
}

/** Takes the estimates of requests that nothing speaks against. */
export async function holdBatch(
  sql: Sql,
  requests: readonly PricedHold[],
): Promise<(HoldOutcome | typeof SKIPPED | typeof UNUSUAL)[]> {
  const { rows } = await sql.query<HoldRow>({
    name: 'hold-batch',
    text: HOLD,
    values: [...toColumns(requests), requests.map(({ limit }) => limit.requestsMax)],
  })
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

interface TakenHold {
  request: PricedHold
  countedIn: string | null
}

const INSERT = `
  INSERT INTO service.request (${COLUMNS}, counted_in, idempotency_key, request_hash)
  SELECT * FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::int[],
    $8::timestamptz[], $9::text[], $10::text[])`

/** Judges requests of one account in their order, and takes the estimates of those that are not refused. */
export async function holdOneByOne(
  pool: Pool,
  accountId: number,
  requests: readonly PricedHold[],
): Promise<HoldOutcome[]> {
  const [first] = requests
  if (first === undefined) return []
  return await inTransaction(pool, async (sql) => {
    const keyIds = requests.map(({ keyId }) => keyId)
    const books = await Books.open(sql, accountId, { limit: first.limit, keyIds })
    const repeats = await findRepeats(sql, accountId, requests)
    const taken: TakenHold[] = []
    const outcomes: HoldOutcome[] = []
    for (const request of requests) {
      const isLimited = books.isLimited(request.keyId)
      const outcome = books.refuseAccess(request) ?? (await repeats.answer(request))
      if (outcome !== undefined) {
        outcomes.push('answer' in outcome ? { ...outcome, isLimited } : outcome)
        continue
      }
      const judged = books.judge(request)
      if (judged.refusal === undefined) {
        taken.push({ request, countedIn: judged.countedIn })
        repeats.add(request)
      }
      outcomes.push(judged.refusal ?? { standing: judged.standing, isLimited })
    }
    if (taken.length > 0) await insert(sql, taken)
    await books.close(sql)
    return outcomes
  })
}

async function insert(sql: Sql, taken: readonly TakenHold[]): Promise<void> {
  await sql.query({
    name: 'hold-insert',
    text: INSERT,
    values: [
      ...toColumns(taken.map(({ request }) => request)),
      taken.map(({ countedIn }) => countedIn),
      taken.map(({ request }) => request.repeatable?.idempotencyKey),
      taken.map(({ request }) => request.repeatable?.requestHash),
    ],
  })
}

function toColumns(requests: readonly PricedHold[]): unknown[][] {
  return [
    requests.map(({ accountId }) => accountId),
    requests.map(({ requestId }) => requestId),
    requests.map(({ keyId }) => keyId),
    requests.map(({ model }) => model),
    requests.map(({ priceId }) => priceId),
    requests.map(({ amountMicroRub }) => `${amountMicroRub}`),
    requests.map(({ leaseOwner }) => leaseOwner),
  ]
}

interface First {
  idempotencyKey: string
  requestHash: string
  /** Released, or its client left before there was an answer: the key is free for another request. */
  isFree: boolean
  answer: Buffer | null
}

const FIND_FIRST = `
  SELECT idempotency_key AS "idempotencyKey", request_hash AS "requestHash", answer,
    COALESCE(end_state = 'released' OR end_state = 'settled' AND end_reason = 'left', false) AS "isFree"
  FROM service.request WHERE account_id = $1 AND idempotency_key = ANY ($2)`

// A guess becomes the truth: the late end of the first would otherwise charge beside the second.
const FREE = `
  UPDATE service.request
  SET idempotency_key = NULL, end_reason = CASE end_state WHEN 'released' THEN 'withdrawn' ELSE end_reason END
  WHERE account_id = $1 AND idempotency_key = $2`

async function findRepeats(sql: Sql, accountId: number, requests: readonly PricedHold[]) {
  const keys = requests.flatMap(({ repeatable }) => repeatable?.idempotencyKey ?? [])
  const firsts = new Map<string, First>()
  if (keys.length > 0) {
    const { rows } = await sql.query<First>(FIND_FIRST, [accountId, keys])
    for (const row of rows) firsts.set(row.idempotencyKey, row)
  }
  return { answer, add }

  /** Returns undefined for a request that is the first of its key. */
  async function answer({
    repeatable,
  }: PricedHold): Promise<{ answer: object } | RequestRefusedError | undefined> {
    const first = repeatable && firsts.get(repeatable.idempotencyKey)
    if (first === undefined) return undefined
    if (first.isFree) {
      await sql.query(FREE, [accountId, first.idempotencyKey])
      return undefined
    }
    if (first.requestHash !== repeatable?.requestHash) {
      return new RequestRefusedError({ code: 'idempotency_key_reused' })
    }
    if (first.answer === null) return new RequestRefusedError({ code: 'request_under_way' })
    return { answer: JSON.parse(first.answer.toString('utf8')) }
  }

  function add({ repeatable }: PricedHold): void {
    if (repeatable === undefined) return
    firsts.set(repeatable.idempotencyKey, { ...repeatable, isFree: false, answer: null })
  }
}

/** A statement that is still on its way finds the id in use, and is undone whole. */
const WITHDRAW = `
  INSERT INTO service.request (${COLUMNS}, cost_micro_rub, ended_at, end_state, end_reason)
  VALUES ($1, $2, $3, $4, NULL, 0, $5, 0, now(), 'released', 'withdrawn') ON CONFLICT DO NOTHING`

/** Makes sure that a hold whose statement lost its answer is not taken later. @returns False if it has been taken. */
export async function withdraw(sql: Sql, request: HoldRequest): Promise<boolean> {
  const { accountId, requestId, keyId, model, leaseOwner } = request
  const values = [accountId, requestId, keyId, model, leaseOwner]
  const { rowCount } = await sql.query({ name: 'hold-withdraw', text: WITHDRAW, values })
  return rowCount === 1
}

const FIND_PRICE = `
  INSERT INTO service.price AS known (model, terms) VALUES ($1, $2)
  ON CONFLICT (model, terms) DO UPDATE SET model = known.model RETURNING id`

/** Finds the row of a model's prices, or makes it. */
export async function findPrice(sql: Sql, model: string, terms: string): Promise<number> {
  const { rows } = await sql.query<{ id: number }>(FIND_PRICE, [model, terms])
  if (rows[0] === undefined) throw new TypeError('Cannot find price: the statement returned no row')
  return rows[0].id
}
