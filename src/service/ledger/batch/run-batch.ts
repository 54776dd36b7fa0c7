/**
 * Every change of holds and of tasks that moves money: one statement for one operation or for many, with the outcomes
 * that they have one by one in the same order.
 *
 * Invariants:
 * - one statement moves money and writes its entry: all of a batch is done, or none of it;
 * - a key is judged in the statement that takes its money: one that is not valid when it begins, or may not use the
 *   model, takes nothing and counts nothing, so the caller need not have looked it up;
 * - a frozen account pays nothing and its requests count nothing; one that is frozen or closed while the request waits
 *   for its row pays nothing either;
 * - a request counts towards its account's limit, or is refused, in that statement; one that the balance or the key's
 *   spend limit does not suffice for counts too, and a repeat of a task's creation, or of a chat, counts towards nothing;
 * - no more is taken than the balance has and the key may spend: a second request waits for the first on the account's
 *   row. Only a settlement above its hold takes the rest without asking;
 * - a hold ends once: its end compares and sets the state, and moves the money of that row only. Settled and released
 *   write exactly one entry, also of 0 when the estimate was exact; kept moves no money and writes none;
 * - the end of a hold that was taken over is a guess: given back if it had no output, else kept. The end that its
 *   request has after all takes its place, once, and moves the difference;
 * - a task fails once, and only by its lease owner: the refund is of the row that was set to `fail`;
 * - what a key has spent moves with the balance.
 *
 * How it keeps the order: keys and limits are judged for all operations at once, by the rows of this moment; the
 * balance and a key's spend, which each operation leaves for the next, are a fold, one for each account.
 *
 * Locks, everywhere in the ledger in this order: holds, then limits, then accounts, then keys, then tasks, and of each
 * kind in the order of the id. Only a hold's own process waits for it (take-over skips what is locked), so holds have
 * no order. (A repeat of a creation may have the account's row and look for the task's, so a task comes after its
 * account.)
 *
 * The file is longer than most because it is one statement: each constant is a CTE of it, read by those below, in the
 * order in which they lock. Split over two files, the order of the locks could not be read.
 */

import { COUNTED_FROM_SQL, COUNTED_SPEND_SQL, KEY_IS_VALID_SQL } from '../keys/key-terms.ts'
import { ACCEPT_SQL, KEY_WINDOW_SQL, keyRouteSql, LEFT_SQL } from '../rate-limit.ts'
import type { Sql } from '../sql.ts'
import type { LedgerSql, Operation, OperationOutcome, OperationRow } from './operation.ts'

type Kind = OperationRow['kind']

/** A row of JSON for each operation. The bound is set before any other row is read: it is for all that follows. */
const OPERATIONS = `
  SELECT operation.* FROM (
    SELECT set_config('lock_timeout', COALESCE($2, current_setting('lock_timeout')), true)
  ) AS bound,
  json_to_recordset($1::json) AS operation (
    n int, kind text, entry_kind service.entry_kind,
    request_id uuid, lease_owner int,
    prompt_price bigint, cached_prompt_price bigint, cache_write_price bigint, completion_price bigint,
    reasoning_price bigint, price_tiers jsonb, usd_price bigint,
    account_id int, key_id text, model text, amount bigint, route text, requests_max int, window_ms int,
    endpoint text, params jsonb, label text, idempotency_key text, callback_url text,
    request_hash text, answer text, upstream text, end_state service.hold_state, end_reason service.hold_end_reason, cost bigint,
    upstream_cost bigint, reported_cost bigint, prompt_tokens int, cached_prompt_tokens int, cache_write_tokens int,
    completion_tokens int, reasoning_tokens int, task_id int, error_code int, error_message text
  )`

// With `state = 'held'` PostgreSQL may read all open holds for each operation, by the index that it has of them.
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
    upstream_cost_micro_rub = operation.upstream_cost, reported_cost_micro_rub = operation.reported_cost,
    prompt_tokens = operation.prompt_tokens, cached_prompt_tokens = operation.cached_prompt_tokens,
    cache_write_tokens = operation.cache_write_tokens,
    completion_tokens = operation.completion_tokens, reasoning_tokens = operation.reasoning_tokens,
    upstream = COALESCE(operation.upstream, hold.upstream), ended_at = now(), end_reason = operation.end_reason,
    taken_over_at = CASE WHEN operation.end_reason = 'taken_over' THEN now() ELSE taken_over_at END,
    answer = decode(operation.answer, 'base64'),
    -- Another request may have it then; after a guess it may have it once the guess is the truth (repeated-hold.ts).
    idempotency_key = CASE WHEN operation.end_state = 'released' AND operation.end_reason <> 'taken_over'
      THEN NULL ELSE hold.idempotency_key END
  FROM operation
  WHERE kind = 'end' AND hold.request_id = operation.request_id
    AND (${IS_HELD} OR hold.end_reason = 'taken_over' AND operation.end_reason <> 'taken_over'
      AND operation.end_state NOT IN (hold.state, 'kept'))
  RETURNING operation.n, hold.account_id, hold.key_id, hold.created_at AS began_at, amount_micro_rub AS held,
    cost_micro_rub - CASE
      WHEN operation.end_reason <> 'taken_over' AND taken_over_at IS NOT NULL AND first_output_at IS NULL THEN 0
      ELSE amount_micro_rub END AS amount`

const JUDGE = `
  SELECT n, operation.account_id, operation.key_id, amount, route, requests_max, window_ms,
    valid_key.allows_model, valid_key.state, valid_key.key_rate, room.of_route, room.of_key AS key_room, first.is_there IS NOT NULL AS is_repeat,
    COALESCE(valid_key.allows_model AND valid_key.state = 'open', false) AND first.is_there IS NULL AS counts
  FROM operation LEFT JOIN LATERAL (
    SELECT models IS NULL OR operation.model = ANY(models) AS allows_model, account.state,
      CASE operation.kind WHEN 'hold' THEN requests_per_minute END AS key_rate
    FROM service.api_key JOIN service.account ON account.id = api_key.account_id
    WHERE public_id = operation.key_id AND api_key.account_id = operation.account_id
      AND ${KEY_IS_VALID_SQL} AND account.state <> 'closed'
  ) AS valid_key ON true
  LEFT JOIN LATERAL (
    -- Without a key PostgreSQL need not begin: most requests have none, and a plan made for few holds reads them all.
    SELECT true AS is_there FROM service.task
    WHERE operation.kind = 'task' AND operation.idempotency_key IS NOT NULL
      AND task.account_id = operation.account_id AND task.idempotency_key = operation.idempotency_key
    UNION ALL
    SELECT true FROM service.hold
    WHERE operation.kind = 'hold' AND operation.idempotency_key IS NOT NULL
      AND hold.account_id = operation.account_id AND hold.idempotency_key = operation.idempotency_key
    LIMIT 1
  ) AS first ON true
  LEFT JOIN LATERAL (
    SELECT min(requests_left) FILTER (WHERE route = operation.route) AS of_route,
      min(requests_left) FILTER (WHERE route <> operation.route) AS of_key
    FROM (${LEFT_SQL}) AS each
  ) AS room ON true
  WHERE kind IN ('hold', 'task')`

/** Those that their key's own rate leaves room for: what it refuses is not to count towards the account's limit. */
const ASKING = `
  SELECT *, row_number() OVER (PARTITION BY account_id, route ORDER BY n) AS request
  FROM (
    SELECT *, row_number() OVER (PARTITION BY key_id, route ORDER BY n) AS of_key FROM debit WHERE counts
  ) AS each WHERE key_rate IS NULL OR of_key <= COALESCE(key_room, key_rate)`

const ASK = `
  SELECT account_id, route, count(*)::int AS requests, requests_max,
    window_ms * interval '1 ms' AS width
  FROM asking GROUP BY account_id, route, requests_max, window_ms
  UNION ALL
  SELECT account_id, ${keyRouteSql('key_id')}, count(*)::int, key_rate, ${KEY_WINDOW_SQL}
  FROM asking WHERE key_rate IS NOT NULL AND request <= COALESCE(of_route, requests_max)
  GROUP BY account_id, key_id, key_rate`

/** The first debits, as many as the limit accepts; and how the nearer one of the limits stands after each. */
const COUNT = `
  SELECT n, asking.account_id, key_id, amount,
    CASE WHEN is_nearer THEN of_its_key.limit_max ELSE accepted.limit_max END AS limit_max,
    CASE WHEN is_nearer THEN key_left ELSE account_left END AS limit_left
  FROM asking JOIN accepted USING (account_id, route)
  LEFT JOIN LATERAL (
    -- Most keys have no rate, and need not be looked for.
    SELECT * FROM accepted AS each
    WHERE key_rate IS NOT NULL AND each.account_id = asking.account_id AND each.route = ${keyRouteSql('key_id')}
    LIMIT 1
  ) AS of_its_key ON true
  CROSS JOIN LATERAL (
    SELECT accepted.limit_left + accepted.accepted - request AS account_left,
      of_its_key.limit_left + of_its_key.accepted - of_key AS key_left
  ) AS both_left
  CROSS JOIN LATERAL (SELECT COALESCE(key_left < account_left, false) AS is_nearer) AS nearer
  WHERE request <= accepted.accepted AND (key_rate IS NULL OR of_key <= of_its_key.accepted)`

const FIND_FAILING = `
  SELECT n, task.id, task.account_id, task.key_id, task.created_at AS began_at, -price_micro_rub AS amount
  FROM operation JOIN service.task ON task.id = operation.task_id
  WHERE kind = 'task_failure' AND ${mayFail('task')}`

const FAIL = `
  UPDATE service.task
  SET status = 'fail', error_code = operation.error_code, error_message = operation.error_message,
    ended_at = now(), due_at = NULL, lease_owner = NULL
  FROM failing JOIN payer ON payer.id = failing.account_id JOIN operation USING (n)
  WHERE task.id = failing.id AND ${mayFail('task')}
  RETURNING n, task.label`

function mayFail(task: string): string {
  return `${task}.lease_owner = operation.lease_owner AND ${task}.status NOT IN ('success', 'fail')`
}

/** All money that would be taken or given back: debits, differences of ends to their holds, prices of failed tasks. */
const MOVEMENTS = `
  SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY n) AS index
  FROM (
    SELECT n, 'debit' AS kind, account_id, key_id, NULL::timestamptz AS began_at, amount FROM counted
    UNION ALL SELECT n, 'end', account_id, key_id, began_at, amount FROM ended
    UNION ALL SELECT n, 'task_failure', account_id, key_id, began_at, amount FROM failing
  ) AS each`

// A lock that others cannot share: under FOR NO KEY UPDATE, beside inserts that refer to the row, debits that waited
// for one another were seen to wait in a circle.
const PAYERS = `
  SELECT id, state, balance_micro_rub FROM service.account
  WHERE id = ANY(ARRAY(SELECT account_id FROM movement)) ORDER BY id FOR UPDATE`

/** What counts towards a limit that renews is what requests cost that began since. */
const PAYING_KEYS = `
  SELECT public_id, spend_limit_micro_rub, ${COUNTED_SPEND_SQL} AS spent, ${COUNTED_FROM_SQL} AS counted_from
  FROM service.api_key
  WHERE public_id = ANY(ARRAY(SELECT key_id FROM movement)) AND account_id = ANY(ARRAY(SELECT id FROM payer))
  ORDER BY public_id FOR UPDATE`

/** The fold: one movement after the other, with the money before it and the money it leaves (`spent_now` by key). */
const STEPS = `
  SELECT id AS account_id, state, 0::bigint AS index, NULL::int AS n, NULL::text AS key_id, 0::bigint AS amount,
    0::bigint AS counted, false AS is_done, NULL::bigint AS balance, NULL::bigint AS spend_limit, NULL::bigint AS spent,
    balance_micro_rub AS balance_now, '{}'::jsonb AS spent_now
  FROM payer
  UNION ALL
  SELECT movement.account_id, step.state, movement.index, movement.n, movement.key_id, movement.amount,
    paying.counted, does.fit, step.balance_now, paying.spend_limit, paying.spent,
    CASE WHEN does.fit THEN step.balance_now - movement.amount ELSE step.balance_now END,
    CASE WHEN does.fit AND paying.spent IS NOT NULL
      THEN step.spent_now || jsonb_build_object(movement.key_id, paying.spent + paying.counted)
      ELSE step.spent_now END
  FROM step JOIN movement ON movement.account_id = step.account_id AND movement.index = step.index + 1
  LEFT JOIN LATERAL (
    SELECT spend_limit_micro_rub AS spend_limit,
      COALESCE((step.spent_now ->> public_id)::bigint, paying_key.spent) AS spent,
      -- Its time is in whole milliseconds: one of the period's first counts nothing back.
      CASE WHEN movement.began_at <= counted_from THEN 0 ELSE movement.amount END AS counted
    -- With the bound the others are not read.
    FROM paying_key WHERE public_id = movement.key_id LIMIT 1
  ) AS paying ON true
  CROSS JOIN LATERAL (
    SELECT CASE movement.kind
      WHEN 'end' THEN true
      WHEN 'task_failure' THEN movement.n IN (SELECT n FROM failed)
      ELSE step.state = 'open' AND step.balance_now >= movement.amount
        AND COALESCE(paying.spent + movement.amount <= paying.spend_limit, true)
    END AS fit
  ) AS does`

const FINISH = `
  SELECT step.n, step.account_id, step.key_id, step.amount, step.counted,
    CASE WHEN operation.kind = 'task' THEN nextval('service.task_id_seq')::int
      ELSE operation.task_id END AS task_id
  FROM step JOIN operation USING (n) WHERE is_done ORDER BY n`

// Without the lists of ids PostgreSQL expects hundreds of rows of `done`, and reads every account for one.
const PAY = `
  UPDATE service.account SET balance_micro_rub = account.balance_micro_rub - taken.amount
  FROM (SELECT account_id, sum(amount)::bigint AS amount FROM done GROUP BY account_id) AS taken
  WHERE account.id = taken.account_id AND account.id = ANY(ARRAY(SELECT account_id FROM done))`

// Of `paying_key` it expects one row: a list of ids, too, would be sorted again for each.
const PAY_BY_KEY = `
  UPDATE service.api_key SET spent_micro_rub = api_key.spent_micro_rub + taken.amount,
    period_spent_micro_rub = CASE WHEN counted_from IS NULL THEN 0 ELSE paying_key.spent + taken.counted END,
    period_began_at = counted_from
  FROM (
    SELECT key_id, sum(amount)::bigint AS amount, sum(counted)::bigint AS counted FROM done GROUP BY key_id
  ) AS taken JOIN paying_key ON paying_key.public_id = taken.key_id
  WHERE api_key.public_id = taken.key_id`

const INSERT_HOLDS = `
  INSERT INTO service.hold
    (request_id, account_id, key_id, model, amount_micro_rub, lease_owner,
     prompt_micro_rub_per_1m, cached_prompt_micro_rub_per_1m, cache_write_micro_rub_per_1m,
     completion_micro_rub_per_1m, reasoning_micro_rub_per_1m, price_tiers, usd_micro_rub,
     idempotency_key, request_hash)
  SELECT request_id, done.account_id, done.key_id, model, done.amount, lease_owner,
    prompt_price, cached_prompt_price, cache_write_price,
    completion_price, reasoning_price, price_tiers, usd_price, idempotency_key, request_hash
  FROM done JOIN operation USING (n) WHERE kind = 'hold'`

const INSERT_TASKS = `
  INSERT INTO service.task
    (id, account_id, key_id, endpoint, params, label, price_micro_rub, idempotency_key, callback_url,
     files, due_at)
  SELECT done.task_id, done.account_id, done.key_id, endpoint, params, label, done.amount,
    idempotency_key, callback_url, '{}', now()
  FROM done JOIN operation USING (n) WHERE kind = 'task'
  RETURNING id`

const INSERT_ENTRIES = `
  INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id, task_id, key_id)
  SELECT done.account_id, entry_kind, -done.amount, request_id, done.task_id, done.key_id
  FROM done JOIN operation USING (n) WHERE entry_kind IS NOT NULL ORDER BY n`

const DEBITS: Kind[] = ['hold', 'task']
const MONEY: Kind[] = [...DEBITS, 'end', 'task_failure']

interface Part {
  name: string
  sql: string
  kinds: readonly Kind[]
  /** Columns that other parts read: without such an operation it has no rows. */
  columns?: string
}

const MOVEMENT_COLUMNS =
  'NULL::int AS n, 0 AS account_id, NULL AS key_id, NULL::timestamptz AS began_at, 0::bigint AS amount'

/** The CTEs in the order of their locks. */
const PARTS: readonly Part[] = [
  { name: 'marked', sql: MARK, kinds: ['first_output'], columns: 'NULL::int AS n' },
  { name: 'ended', sql: END, kinds: ['end'], columns: `${MOVEMENT_COLUMNS}, 0::bigint AS held` },
  {
    name: 'debit',
    sql: JUDGE,
    kinds: DEBITS,
    columns:
      'NULL::int AS n, true AS allows_model, NULL::service.account_state AS state, false AS is_repeat, 0 AS key_rate',
  },
  { name: 'asking', sql: ASKING, kinds: DEBITS },
  { name: 'asked', sql: ASK, kinds: DEBITS },
  { name: 'accepted', sql: ACCEPT_SQL, kinds: DEBITS },
  {
    name: 'counted',
    sql: COUNT,
    kinds: DEBITS,
    columns: `${MOVEMENT_COLUMNS}, NULL::int AS limit_max, NULL::int AS limit_left`,
  },
  {
    name: 'failing',
    sql: FIND_FAILING,
    kinds: ['task_failure'],
    columns: MOVEMENT_COLUMNS,
  },
  { name: 'movement', sql: MOVEMENTS, kinds: MONEY },
  { name: 'payer', sql: PAYERS, kinds: MONEY },
  { name: 'paying_key', sql: PAYING_KEYS, kinds: MONEY },
  {
    name: 'failed',
    sql: FAIL,
    kinds: ['task_failure'],
    columns: 'NULL::int AS n, NULL AS label',
  },
  {
    name: 'step',
    sql: STEPS,
    kinds: MONEY,
    columns: `NULL::int AS n, 0 AS account_id, true AS is_done, NULL::service.account_state AS state,
      0::bigint AS balance, 0::bigint AS amount, 0::bigint AS spend_limit, 0::bigint AS spent`,
  },
  { name: 'done', sql: FINISH, kinds: MONEY, columns: 'NULL::int AS n, 0 AS task_id' },
  { name: 'paid', sql: PAY, kinds: MONEY },
  { name: 'key_paid', sql: PAY_BY_KEY, kinds: MONEY },
  { name: 'hold', sql: INSERT_HOLDS, kinds: ['hold'] },
  { name: 'task', sql: INSERT_TASKS, kinds: ['task'], columns: '0 AS id' },
  { name: 'entry', sql: INSERT_ENTRIES, kinds: MONEY },
]

/**
 * Makes the SQL of the statement.
 *
 * @param kinds The operations it can do; a statement of one kind costs PostgreSQL half of what the whole one does.
 * @param operations SQL that selects the operations, with the columns of `OperationRow` that these kinds read.
 */
export function batchSql(kinds: readonly Kind[], operations: string): string {
  const parts = PARTS.flatMap(({ name, sql, kinds: needing, columns }) => {
    if (kinds.some((kind) => needing.includes(kind))) return `${name} AS (${sql})`
    return columns === undefined
      ? []
      : `${name} AS NOT MATERIALIZED (SELECT ${columns} WHERE false)`
  })
  return `
  WITH RECURSIVE operation AS MATERIALIZED (${operations}
  ), ${parts.join(', ')}
  SELECT operation.request_id AS "requestId", operation.end_state AS "endState", step.account_id AS "accountId",
    COALESCE(step.is_done, marked.n IS NOT NULL) AS "isDone", done.task_id AS "taskId",
    failed.label, ended.held, debit.allows_model AS "allowsModel", debit.is_repeat AS "isRepeat", debit.key_rate AS "keyRate",
    COALESCE(step.state, debit.state) AS state, step.balance, step.amount AS taken,
    step.spend_limit AS "spendLimit", step.spent, counted.limit_max AS "limitMax", counted.limit_left::int AS "limitLeft",
    (SELECT pg_notify('service.task', '') FROM task LIMIT 1) AS notified
  FROM operation
  LEFT JOIN marked USING (n) LEFT JOIN ended USING (n) LEFT JOIN debit USING (n) LEFT JOIN counted USING (n)
  LEFT JOIN failed USING (n) LEFT JOIN step USING (n) LEFT JOIN done USING (n)
  ORDER BY operation.n`
}

const KINDS: readonly Kind[] = [...MONEY, 'first_output']

const WHOLE = { name: 'ledger-batch', text: batchSql(KINDS, OPERATIONS) }

/** Nearly every batch of more than one kind: without the parts that tasks need it costs PostgreSQL a tenth less. */
const CHAT_KINDS: ReadonlySet<Kind> = new Set(['hold', 'first_output', 'end'])
const OF_CHATS = { name: 'ledger-chats', text: batchSql([...CHAT_KINDS], OPERATIONS) }

const OF_ONE_KIND = new Map<Kind, typeof WHOLE>(
  KINDS.map((kind) => [
    kind,
    { name: `ledger-${kind.replace('_', '-')}`, text: batchSql([kind], OPERATIONS) },
  ]),
)

/**
 * Does operations in one statement: all of them are judged, in their order, or none.
 *
 * @param lockTimeoutMs How long it waits for a row that another has locked; then nothing of it was done. Default: as
 *   long as the connection says.
 * @returns The outcome of each, in their order.
 */
export async function runBatch(
  sql: Sql,
  operations: readonly OperationRow[],
  lockTimeoutMs?: number,
): Promise<OperationOutcome[]> {
  const rows = operations.map((operation, n) => ({ n, ...operation }))
  const { name, text } = statementFor(new Set(operations.map((operation) => operation.kind)))
  const values = [JSON.stringify(rows), lockTimeoutMs === undefined ? null : `${lockTimeoutMs}ms`]
  const outcomes = await sql.query<OperationOutcome>({ name, text, values })
  return outcomes.rows
}

function statementFor(kinds: ReadonlySet<Kind>): typeof WHOLE {
  const [kind] = kinds
  if (kind !== undefined && kinds.size === 1) return OF_ONE_KIND.get(kind) ?? WHOLE
  return kinds.isSubsetOf(CHAT_KINDS) ? OF_CHATS : WHOLE
}

/** Does one operation by itself: a batch of one. */
export async function runOne(sql: Sql, operation: OperationRow): Promise<OperationOutcome> {
  const [outcome] = await runBatch(sql, [operation])
  if (outcome === undefined)
    throw new TypeError('Cannot run operation: the statement returned no row')
  return outcome
}

/** Does an operation, with those that come at the same time where the ledger has a lane. */
export function run(sql: LedgerSql, operation: Operation): Promise<OperationOutcome> {
  return sql.lane === undefined ? runOne(sql, operation.row) : sql.lane.run(operation)
}
