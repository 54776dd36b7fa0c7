import type pg from 'pg'

/** The admin who writes, in the fullest of all conversations. */
export const READER = 501
const USERS = 10_000
const FIRST_USER_ID = 1_001
const ACCOUNTS = 1_000
const OLD_IDS = 1_000_000_000
/** A tenth of a busy year. */
const TURNS = 50_000
const READERS_TURNS = 500
const ORDERS = 10_000
const RUNNING = 1_000
const HOLDS = 100_000
const TASKS = 10_000

const uuid = `('00000000-0000-4000-8000-' || lpad(to_hex(number), 12, '0'))::uuid`
const user = `${FIRST_USER_ID} + number % ${USERS}`
const account = `1 + number % ${ACCOUNTS}`
const day = `(created_at AT TIME ZONE 'Europe/Moscow')::date`
const series = (count: number) => `generate_series(1, ${count}) AS number`
const at = (count: number) => `now() - interval '1 year' + number * interval '1 year' / ${count}`

const STATEMENTS = [
  `INSERT INTO bot."user" (id, first_name, username, seen_at)
   SELECT id, 'User ' || id, 'user' || id, now() - id * interval '1 hour'
   FROM (SELECT ${READER} AS id
     UNION ALL SELECT generate_series(${FIRST_USER_ID}, ${FIRST_USER_ID + USERS - 1})) AS seed`,
  `INSERT INTO bot.conversation (id, chat_id, entered_at, created_at)
   SELECT number, CASE number WHEN 1 THEN ${READER} ELSE ${user} END, ${at(TURNS / 10)}, ${at(TURNS / 10)}
   FROM ${series(TURNS / 10)}`,
  `INSERT INTO bot.turn (id, conversation_id, user_id, chat_id, prompt_message_id, model, state, message_ids,
     shown_text, sent_at, created_at, ended_at, requests, request_micro_rub)
   SELECT number, talk, owner, owner, ${OLD_IDS} + number, 'alpha-large', 'finished',
     ARRAY[${OLD_IDS} + number + 1], 'An answer', ${at(TURNS)}, ${at(TURNS)}, ${at(TURNS)}, 1, 1000
   FROM (SELECT number,
       CASE WHEN number <= ${READERS_TURNS} THEN 1 ELSE 2 + number % (${TURNS / 10} - 1) END AS talk,
       CASE WHEN number <= ${READERS_TURNS} THEN ${READER} ELSE ${user} END AS owner
     FROM ${series(TURNS)}) AS seed`,
  `INSERT INTO bot.message (conversation_id, turn_id, role, content, model, prompt_tokens, completion_tokens,
     cost_micro_rub, created_at)
   SELECT conversation_id, id, role::bot.message_role, repeat('word ', 20),
     CASE role WHEN 'assistant' THEN model END, CASE role WHEN 'assistant' THEN 500 END,
     CASE role WHEN 'assistant' THEN 100 END, CASE role WHEN 'assistant' THEN 1000 END, created_at
   FROM bot.turn, (VALUES ('user'), ('assistant')) AS written (role) ORDER BY id, role DESC`,
  `INSERT INTO bot."order" (id, user_id, chat_id, kind, origin_key, reply_to_message_id, status_message_id, params,
     label, price_micro_rub, idempotency_key, state, task_id, expects_callback, generating_at, result_urls,
     created_at, ended_at)
   SELECT number, ${user}, ${user}, 'image', 'command ' || number, ${OLD_IDS} + number, ${OLD_IDS} + number + 1,
     '{"prompt":"a fox"}', 'imagegen', 3000000, ${uuid},
     CASE WHEN number > ${ORDERS - RUNNING} THEN 'generating' ELSE 'delivered' END::bot.order_state,
     number, true, ${at(ORDERS)}, ARRAY['https://example.org/files/' || number],
     ${at(ORDERS)},
     CASE WHEN number <= ${ORDERS - RUNNING} THEN ${at(ORDERS)} END
   FROM ${series(ORDERS)}`,
  `INSERT INTO bot.charge (user_id, chat_id, turn_id, request, kind, item, prompt_tokens, history_tokens,
     completion_tokens, prompt_price_micro_rub, completion_price_micro_rub, amount_micro_rub, estimated, request_id,
     day, created_at)
   SELECT user_id, chat_id, id, 1, 'answer', 'model-' || id % 7, 20000, 15000, 500, 150000000, 600000000,
     1000 + id % 5000, false, 'request ' || id, ${day}, created_at
   FROM bot.turn ORDER BY id`,
  `INSERT INTO bot.charge (user_id, chat_id, order_id, kind, item, amount_micro_rub, estimated, task_id, day, created_at)
   SELECT user_id, chat_id, id, 'image', label, price_micro_rub, false, task_id, ${day}, created_at
   FROM bot."order" ORDER BY id`,
  `INSERT INTO bot.update (id, thread_key, received_at, handled_at)
   SELECT ${OLD_IDS} + number, 'chat ' || number % ${USERS}, now(), now() FROM ${series(TURNS / 10)}`,
  ...['conversation', 'turn', 'order'].map(
    (table) => `SELECT setval('bot.${table}_id_seq', (SELECT max(id) FROM bot."${table}"))`,
  ),
  `INSERT INTO service.account (id, name, callback_secret)
   SELECT number, 'account ' || number, 'secret ' || number FROM ${series(ACCOUNTS)}`,
  `INSERT INTO service.api_key (public_id, account_id, secret_hash)
   SELECT 'key' || number, ${account}, '\\x00' FROM ${series(ACCOUNTS * 10)}`,
  `INSERT INTO service.request (id, account_id, key_id, model, held_micro_rub, end_state, end_reason, output_at,
     lease_owner, cost_micro_rub, prompt_tokens, completion_tokens, created_at, ended_at)
   SELECT ${uuid}, ${account}, 'key' || 1 + number % ${ACCOUNTS * 10}, 'model-' || number % 7, 3000, 'settled', 'usage',
     ${at(HOLDS)}, 0, 1000, 500, 100, ${at(HOLDS)}, ${at(HOLDS)}
   FROM ${series(HOLDS)}`,
  `INSERT INTO service.task (id, account_id, key_id, endpoint, params, label, price_micro_rub, status, files,
     idempotency_key, callback_url, first_visit_at, created_at, ended_at)
   SELECT number, ${account}, 'key' || 1 + number % ${ACCOUNTS * 10}, 'sounds/soundgen-generate',
     '{"prompt":"a fox"}', 'soundgen', 3000000, 'success', ARRAY[number || '.wav'], 'order ' || number,
     'https://example.org/callbacks', ${at(TASKS)}, ${at(TASKS)}, ${at(TASKS)}
   FROM ${series(TASKS)}`,
  `INSERT INTO service.adjustment (account_id, amount_micro_rub, created_at)
   SELECT id, 1000000000000, now() - interval '1 year' FROM service.account`,
  `UPDATE service.account SET balance_micro_rub = sum FROM (
     SELECT account_id, sum(amount_micro_rub) FROM service.movement GROUP BY 1) AS summed WHERE id = account_id`,
  `SELECT setval('service.account_id_seq', ${ACCOUNTS}), setval('service.task_id_seq', ${TASKS})`,
]

/** Fills an empty database with a tenth of a busy year. */
export async function growDatabase(client: pg.PoolClient): Promise<void> {
  // Every referenced row is there, and checking each one takes longer than writing it.
  await client.query('BEGIN; SET LOCAL session_replication_role = replica')
  for (const statement of STATEMENTS) await client.query(statement)
  await client.query('COMMIT')
}
