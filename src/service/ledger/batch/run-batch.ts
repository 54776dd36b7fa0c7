/**
 * Many operations of the ledger in one statement, with the outcomes that they have one by one in the same order.
 *
 * How it keeps the order: what is judged by rows of this moment (keys, limits) is judged for all; what each operation
 * leaves for the next (the balance, what a key has spent) is a fold, one account beside the other.
 *
 * Locks, everywhere in the ledger in this order: holds, then limits, then accounts, then keys, and of each kind in the
 * order of the id. Only a hold's own process waits for it (take-over skips what is locked), so holds have no order.
 */

import { KEY_IS_VALID_SQL } from '../key-terms.ts'
import { ACCEPT_SQL } from '../rate-limit.ts'
import type { Sql } from '../sql.ts'
import type { OperationOutcome, OperationRow } from './operation.ts'

// Read before any other row is, so the bound is for all that follows in this statement.
const OPERATIONS = `
  SELECT operation.* FROM (SELECT set_config('lock_timeout', $2, true)) AS bound,
  json_to_recordset($1::json) AS operation (
    n int, kind text, entry_kind service.entry_kind,
    request_id uuid, lease_owner int, prompt_price bigint, completion_price bigint,
    account_id int, key_id text, model text, amount bigint, route text, requests_max int, window_ms int,
    endpoint text, params jsonb, label text, idempotency_key text, callback_url text,
    upstream text, end_state service.hold_state, cost bigint, prompt_tokens int, completion_tokens int
  )`

// Asked for what is held, PostgreSQL may read all open holds for each operation, by the index that it has of them.
const IS_HELD = "state NOT IN ('settled', 'released', 'kept')"

const MARK = `
  UPDATE service.hold
  SET first_output_at = COALESCE(first_output_at, now()), upstream = operation.upstream
  FROM operation
  WHERE kind = 'first_output' AND hold.request_id = operation.request_id AND ${IS_HELD}
  RETURNING operation.n`

const END = `
  UPDATE service.hold
  SET state = operation.end_state, cost_micro_rub = COALESCE(operation.cost, amount_micro_rub),
    prompt_tokens = operation.prompt_tokens, completion_tokens = operation.completion_tokens,
    upstream = COALESCE(operation.upstream, hold.upstream), ended_at = now()
  FROM operation
  WHERE kind = 'end' AND hold.request_id = operation.request_id AND ${IS_HELD}
  RETURNING operation.n, hold.account_id, hold.key_id, cost_micro_rub - amount_micro_rub AS amount`

// A repeat of a creation counts towards nothing.
const JUDGE = `
  SELECT n, operation.account_id, operation.key_id, amount, route, requests_max, window_ms,
    valid_key.allows_model, valid_key.state,
    COALESCE(valid_key.allows_model AND valid_key.state = 'open', false) AND first.id IS NULL AS counts
  FROM operation LEFT JOIN LATERAL (
    SELECT models IS NULL OR operation.model = ANY(models) AS allows_model, account.state
    FROM service.api_key JOIN service.account ON account.id = api_key.account_id
    WHERE public_id = operation.key_id AND api_key.account_id = operation.account_id
      AND ${KEY_IS_VALID_SQL} AND account.state <> 'closed'
  ) AS valid_key ON true
  LEFT JOIN LATERAL (
    SELECT id FROM service.task
    WHERE task.account_id = operation.account_id AND task.idempotency_key = operation.idempotency_key
    LIMIT 1
  ) AS first ON true
  WHERE kind IN ('hold', 'task')`

const ASK = `
  SELECT account_id, route, count(*)::int AS requests, requests_max,
    window_ms * interval '1 ms' AS width
  FROM debit WHERE counts GROUP BY account_id, route, requests_max, window_ms`

/** What would be taken: the first debits that the limit lets through, and what ends cost more than was held. */
const MOVES = `
  SELECT n, account_id, key_id, amount, is_end,
    row_number() OVER (PARTITION BY account_id ORDER BY n) AS place
  FROM (
    SELECT n, account_id, key_id, amount, true AS is_end FROM ended
    UNION ALL
    SELECT n, account_id, key_id, amount, false FROM (
      SELECT *, row_number() OVER (PARTITION BY account_id, route ORDER BY n) AS request
      FROM debit WHERE counts
    ) AS counted JOIN accepted USING (account_id, route)
    WHERE request <= accepted
  ) AS each`

const PAYERS = `
  SELECT id, state, balance_micro_rub FROM service.account
  WHERE id = ANY(ARRAY(SELECT account_id FROM move)) ORDER BY id FOR UPDATE`

const PAYING_KEYS = `
  SELECT public_id, spend_limit_micro_rub, spent_micro_rub FROM service.api_key
  WHERE public_id = ANY(ARRAY(SELECT key_id FROM move)) AND account_id = ANY(ARRAY(SELECT id FROM payer))
  ORDER BY public_id FOR UPDATE`

/** One after the other, what there is before each and what it leaves: `spent_now` by key. */
const TURNS = `
  SELECT id AS account_id, state, 0::bigint AS place, NULL::int AS n, NULL::text AS key_id, 0::bigint AS amount,
    false AS is_done, NULL::bigint AS balance, NULL::bigint AS spend_limit, NULL::bigint AS spent,
    balance_micro_rub AS balance_now, '{}'::jsonb AS spent_now
  FROM payer
  UNION ALL
  SELECT move.account_id, turn.state, move.place, move.n, move.key_id, move.amount,
    does.fit, turn.balance_now, paying.spend_limit, paying.spent,
    CASE WHEN does.fit THEN turn.balance_now - move.amount ELSE turn.balance_now END,
    CASE WHEN does.fit AND paying.spent IS NOT NULL
      THEN turn.spent_now || jsonb_build_object(move.key_id, paying.spent + move.amount)
      ELSE turn.spent_now END
  FROM turn JOIN move ON move.account_id = turn.account_id AND move.place = turn.place + 1
  LEFT JOIN LATERAL (
    SELECT spend_limit_micro_rub AS spend_limit,
      COALESCE((turn.spent_now ->> public_id)::bigint, spent_micro_rub) AS spent
    FROM paying_key WHERE public_id = move.key_id
  ) AS paying ON true
  CROSS JOIN LATERAL (
    SELECT move.is_end OR (turn.state = 'open' AND turn.balance_now >= move.amount
      AND COALESCE(paying.spent + move.amount <= paying.spend_limit, true)) AS fit
  ) AS does`

const BATCH = `
  WITH RECURSIVE operation AS MATERIALIZED (${OPERATIONS}
  ), marked AS (${MARK}
  ), ended AS (${END}
  ), debit AS MATERIALIZED (${JUDGE}
  ), asked AS MATERIALIZED (${ASK}
  ), accepted AS (${ACCEPT_SQL}
  ), move AS MATERIALIZED (${MOVES}
  ), payer AS (${PAYERS}
  ), paying_key AS (${PAYING_KEYS}
  ), turn AS (${TURNS}
  ), done AS MATERIALIZED (
    SELECT turn.n, turn.account_id, turn.key_id, turn.amount,
      CASE WHEN operation.kind = 'task' THEN nextval('service.task_id_seq')::int END AS task_id
    FROM turn JOIN operation USING (n) WHERE is_done ORDER BY n
  ), paid AS (
    UPDATE service.account SET balance_micro_rub = account.balance_micro_rub - taken.amount
    FROM (SELECT account_id, sum(amount)::bigint AS amount FROM done GROUP BY account_id) AS taken
    WHERE account.id = taken.account_id
  ), key_paid AS (
    UPDATE service.api_key SET spent_micro_rub = api_key.spent_micro_rub + taken.amount
    FROM (SELECT key_id, sum(amount)::bigint AS amount FROM done GROUP BY key_id) AS taken
    WHERE api_key.public_id = taken.key_id
  ), hold AS (
    INSERT INTO service.hold
      (request_id, account_id, key_id, model, amount_micro_rub, lease_owner,
       prompt_micro_rub_per_1m, completion_micro_rub_per_1m)
    SELECT request_id, done.account_id, done.key_id, model, done.amount, lease_owner,
      prompt_price, completion_price
    FROM done JOIN operation USING (n) WHERE kind = 'hold'
  ), task AS (
    INSERT INTO service.task
      (id, account_id, key_id, endpoint, params, label, price_micro_rub, idempotency_key, callback_url,
       files, due_at)
    SELECT task_id, done.account_id, done.key_id, endpoint, params, label, done.amount,
      idempotency_key, callback_url, '{}', now()
    FROM done JOIN operation USING (n) WHERE kind = 'task'
  ), entry AS (
    INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id, task_id, key_id)
    SELECT done.account_id, entry_kind, -done.amount, request_id, task_id, done.key_id
    FROM done JOIN operation USING (n) WHERE entry_kind IS NOT NULL ORDER BY n
  )
  SELECT COALESCE(turn.is_done, marked.n IS NOT NULL) AS "isDone", done.task_id AS "taskId",
    debit.allows_model AS "allowsModel", COALESCE(turn.state, debit.state) AS state,
    turn.balance, turn.amount AS taken, turn.spend_limit AS "spendLimit", turn.spent,
    (SELECT pg_notify('service.task', '') FROM done WHERE task_id IS NOT NULL LIMIT 1) AS told
  FROM operation
  LEFT JOIN marked USING (n) LEFT JOIN debit USING (n) LEFT JOIN turn USING (n) LEFT JOIN done USING (n)
  ORDER BY operation.n`

/**
 * Does operations in one statement: all of them are judged, in their order, or none.
 *
 * @param lockTimeoutMs For how long it waits for a row that another has locked; then nothing of it was done.
 * @returns What each came to.
 */
export async function runBatch(
  sql: Sql,
  operations: readonly OperationRow[],
  { lockTimeoutMs }: { lockTimeoutMs: number },
): Promise<OperationOutcome[]> {
  const rows = operations.map((operation, n) => ({ n, ...operation }))
  const told = await sql.query<OperationOutcome>({
    name: 'ledger-batch',
    text: BATCH,
    values: [JSON.stringify(rows), `${lockTimeoutMs}ms`],
  })
  return told.rows
}
