import type pg from 'pg'
import { createCalendar } from '../../../../src/bot/spend/calendar.ts'
import { addUpFinishedDates } from '../../../../src/bot/spend/charges/finished-dates.ts'
import { SUBJECTS, SUM_COLUMNS } from '../../../../src/bot/spend/charges/sums.ts'
import {
  rebuildCounters,
  trueDays,
  trueTotals,
} from '../../../../src/bot/spend/charges/true-sums.ts'
import { Prisma, type PrismaClient } from '../../../../src/platform/database/generated/client.ts'
import { readTaskFigures } from '../../../../src/service/generation/task-figures.ts'

/** The admin who talks, asks and looks: in the fullest of all conversations. */
export const READER = 501
/** The number of the bot's users, the same in every growth. */
const USERS = 10_000
const FIRST_USER_ID = 1_001
const GROUPS = 500
/** How many accounts the service has. */
const ACCOUNTS = 1_000

/** How much of each there is. */
export interface Growth {
  /** Turns, with two messages and a charge each; as many charges again are of turns that were forgotten. */
  turns: number
  /** The number of these turns that the reader has, in one conversation. */
  readersTurns: number
  orders: number
  /** The number of orders and tasks that are under way, looked at tomorrow. */
  running: number
  /** Holds, with two entries each. */
  holds: number
  tasks: number
}

/** SQL of a UUID for each number of a series. */
const uuid = `('00000000-0000-4000-8000-' || lpad(to_hex(number), 12, '0'))::uuid`

/** Telegram's ids of what was before are none that a test's Telegram gives. */
const OLD_IDS = 1_000_000_000

/** A year of a bot and a service that are much used. */
export const GROWN: Growth = {
  turns: 500_000,
  readersTurns: 5_000,
  orders: 100_000,
  running: 10_000,
  holds: 1_000_000,
  tasks: 100_000,
}

/** A part of that, with a part of the reader's conversation. */
export function scaled(
  { turns, readersTurns, orders, running, holds, tasks }: Growth,
  by: number,
): Growth {
  return {
    turns: turns * by,
    readersTurns: readersTurns * by,
    orders: orders * by,
    running: running * by,
    holds: holds * by,
    tasks: tasks * by,
  }
}

/**
 * Fills an empty database as it is after a year: nothing is under way, and each row is as the program writes it.
 * The charges have their sums, the entries their balances: the program's own checks find nothing.
 */
export async function growDatabase(
  { pool, prisma }: { pool: pg.Pool; prisma: PrismaClient },
  growth: Growth,
): Promise<void> {
  const client = await pool.connect()
  try {
    // Every row that is named is there; looking each one up would take longer than writing it.
    await client.query('BEGIN; SET LOCAL session_replication_role = replica')
    for (const statement of [...botStatements(growth), ...serviceStatements(growth)]) {
      await client.query(statement)
    }
    await client.query('COMMIT; ANALYZE')
    await sumUp(prisma)
    await readTaskFigures(pool)
    await client.query('VACUUM ANALYZE')
  } finally {
    client.release()
  }
}

/** Sums up as `rebuildSums()` does for a hundred users at a time, since theirs may be charged meanwhile. */
async function sumUp(prisma: PrismaClient): Promise<void> {
  const names = Prisma.raw(SUM_COLUMNS.join(', '))
  await prisma.$executeRaw`
    INSERT INTO bot.spend_day (user_id, chat_id, day, kind, item, ${names})
    ${trueDays(Prisma.sql`true`)} ORDER BY day`
  await prisma.$executeRaw`
    INSERT INTO bot.spend_total (user_id, chat_id, kind, item, ${names})
    ${trueTotals(Prisma.sql`bot.spend_day`)}`
  await addUpFinishedDates(prisma, createCalendar({ timeZone: 'Europe/Moscow' }))
  const spenders = await prisma.$queryRaw<{ id: bigint }[]>`
    INSERT INTO bot.spender (id, day)
    SELECT subject.id, max(day) FROM bot.spend_day, ${SUBJECTS} GROUP BY 1 RETURNING id`
  await prisma.$executeRaw`ANALYZE bot.spend_day`
  const ids = spenders.map(({ id }) => id)
  await rebuildCounters(prisma, ids)
}

function botStatements({ turns, readersTurns, orders, running }: Growth): string[] {
  const step = (count: number) => `interval '1 year' / ${count}`
  /** The chat of a user whose number is in `owner`: a twentieth talks in groups. */
  const chat = `CASE WHEN owner = ${READER} THEN ${READER}
    WHEN owner % 20 = 0 THEN -1000000000000 - owner % ${GROUPS} ELSE owner END`
  const day = `(at AT TIME ZONE 'Europe/Moscow')::date`
  return [
    `INSERT INTO bot."user" (id, first_name, username, admission, seen_at)
     SELECT id, 'User ' || id, CASE WHEN id % 3 = 0 THEN 'user' || id END,
       CASE WHEN id % 50 = 0 THEN 'allowed'::bot.admission END, now() - id * interval '1 hour'
     FROM (SELECT ${READER} AS id UNION ALL
           SELECT generate_series(${FIRST_USER_ID}, ${FIRST_USER_ID + USERS - 1})) AS seed`,
    // Ten turns each: the first is the reader's, who has many more.
    `INSERT INTO bot.conversation (id, chat_id, entered_at, created_at)
     SELECT number, ${chat}, at, at FROM (
       SELECT number, CASE number WHEN 1 THEN ${READER} ELSE ${FIRST_USER_ID} + number % ${USERS} END AS owner,
         now() - interval '1 year' + number * ${step(turns / 10)} AS at
       FROM generate_series(1, ${turns / 10}) AS number) AS seed`,
    `INSERT INTO bot.turn (id, conversation_id, user_id, chat_id, prompt_message_id, model, state, message_ids,
       shown_text, sent_at, created_at, ended_at, requests, request_micro_rub, set_aside_at)
     SELECT number, talk, owner, ${chat}, ${OLD_IDS} + number, 'alpha-large',
       (ARRAY['finished', 'finished', 'finished', 'stopped', 'failed'])[number % 5 + 1]::bot.turn_state,
       ARRAY[${OLD_IDS} + number + 1], 'An answer', at, at, at, 1, 1000,
       CASE WHEN number % 50 = 0 THEN at END
     FROM (
       SELECT number, talk,
         CASE talk WHEN 1 THEN ${READER} ELSE ${FIRST_USER_ID} + talk % ${USERS} END AS owner,
         now() - interval '1 year' + number * ${step(turns)} AS at
       FROM (SELECT number,
           CASE WHEN number <= ${readersTurns} THEN 1 ELSE 2 + number % (${turns / 10} - 1) END AS talk
         FROM generate_series(1, ${turns}) AS number) AS numbered) AS seed`,
    `INSERT INTO bot.message (conversation_id, turn_id, role, content, model, prompt_tokens, completion_tokens,
       cost_micro_rub, created_at)
     SELECT conversation_id, id, role::bot.message_role, repeat('word ', 20),
       CASE role WHEN 'assistant' THEN model END, CASE role WHEN 'assistant' THEN 500 END,
       CASE role WHEN 'assistant' THEN 100 END, CASE role WHEN 'assistant' THEN 1000 END, created_at
     FROM bot.turn, (VALUES ('user'), ('assistant')) AS written (role) ORDER BY id, role DESC`,
    `INSERT INTO bot."order" (id, user_id, chat_id, kind, origin_key, reply_to_message_id, status_message_id,
       params, label, price_micro_rub, idempotency_key, state, task_id, expects_callback, generating_at,
       result_urls, due_at, created_at, ended_at)
     SELECT number, owner, owner, kind::bot.media_kind, 'command ' || number, ${OLD_IDS} + number,
       ${OLD_IDS} + number + 1,
       '{"prompt":"a fox"}', 'label-' || kind, 3000000, ${uuid},
       CASE WHEN number > ${orders - running} THEN 'generating'
         ELSE (ARRAY['delivered', 'delivered', 'delivered', 'failed', 'cancelled'])[number % 5 + 1]
       END::bot.order_state,
       CASE WHEN number % 5 < 4 THEN number END, true, at, ARRAY['https://example.org/files/' || number],
       CASE WHEN number > ${orders - running} THEN now() + interval '1 day' END, at,
       CASE WHEN number <= ${orders - running} THEN at END
     FROM (
       SELECT number, (ARRAY['video', 'image', 'sound'])[number % 3 + 1] AS kind,
         CASE WHEN number <= 50 THEN ${READER} ELSE ${FIRST_USER_ID} + number % ${USERS} END AS owner,
         now() - interval '1 year' + number * ${step(orders)} AS at
       FROM generate_series(1, ${orders}) AS number) AS seed`,
    `INSERT INTO bot.order_card (user_id, chat_id, kind, origin_key, reply_to_message_id, card_message_id, params,
       shown_prices, state, created_at)
     SELECT user_id, chat_id, kind, origin_key, reply_to_message_id, reply_to_message_id + 1, params, '{}',
       'ordered', created_at FROM bot."order"`,
    // In the order of time, as they come to stand.
    `INSERT INTO bot.charge (user_id, chat_id, turn_id, request, order_id, kind, item, prompt_tokens,
       history_tokens, completion_tokens, prompt_price_micro_rub, completion_price_micro_rub,
       amount_micro_rub, estimated, request_id, task_id, day, created_at)
     SELECT owner, chat_id, turn_id, request, order_id, kind::bot.charge_kind, item, 20000, 15000, 500,
       150000000, 600000000, amount, number % 50 = 0, 'request ' || number, task_id, ${day}, at
     FROM (
       SELECT id AS number, user_id AS owner, chat_id, id AS turn_id, 1 AS request, NULL::bigint AS order_id,
         'answer' AS kind, 'model-' || id % 7 AS item, 1000 + id % 5000 AS amount, NULL::int AS task_id,
         created_at AS at FROM bot.turn
       UNION ALL
       SELECT number, owner, ${chat}, NULL, NULL, NULL, 'answer', 'model-' || number % 7, 1000 + number % 5000,
         NULL, now() - interval '1 year' + number * ${step(turns)}
       FROM generate_series(1, ${turns}) AS number, LATERAL (SELECT ${FIRST_USER_ID} + number % ${USERS}) AS of (owner)
       UNION ALL
       SELECT id, user_id, chat_id, NULL, NULL, id, kind::text, label, price_micro_rub, task_id, created_at
       FROM bot."order" WHERE state IN ('delivered', 'generating')) AS seed ORDER BY at`,
    `INSERT INTO bot.update (id, conversation_key, sent_at, received_at, ready_at, leased_at, noted_at,
       released_at, handled_at)
     SELECT ${OLD_IDS} + number, 'chat ' || number % ${USERS}, at, at, at, at, at, at, at
     FROM (SELECT number, now() - interval '1 day' + number * interval '1 day' / ${turns / 10} AS at
       FROM generate_series(1, ${turns / 10}) AS number) AS seed`,
    `INSERT INTO bot.change (admin_id, what, subject_id, before, after, created_at)
     SELECT ${READER}, 'limit_day', ${FIRST_USER_ID} + number % ${USERS}, NULL, '1000000', now()
     FROM generate_series(1, ${orders}) AS number`,
    `INSERT INTO bot.media_setting (user_id, kind, params) SELECT id, 'video', '{}' FROM bot."user"`,
    `INSERT INTO bot.chat (id) SELECT id FROM bot."user"`,
    `INSERT INTO bot.asked_example (chat_id, greeting_id, example, question_id)
     SELECT id, 1, 1, 2 FROM bot."user"`,
    `INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by)
     SELECT id, 'month', 1000000000, ${READER} FROM bot."user" WHERE id % 4 = 0`,
    `INSERT INTO bot.limit_warning (subject_id, period, amount_micro_rub)
     SELECT subject_id, period, amount_micro_rub FROM bot.spend_limit`,
    `INSERT INTO bot.limit_request (subject_id, period, user_id, chat_id, message_id, amount_micro_rub,
       spent_micro_rub, asked_at, decision, decided_at, told_at)
     SELECT id, 'month', id, id, 1, 1, 1, now(), 'refused', now(), now() FROM bot."user" WHERE id % 4 = 0`,
    `INSERT INTO bot.picture (token_hash, user_id, file_id, content_type, kept_until)
     SELECT sha256(number::text::bytea), ${FIRST_USER_ID} + number % ${USERS}, 'file', 'image/png',
       now() - interval '1 day'
     FROM generate_series(1, ${orders}) AS number`,
    ...['conversation', 'turn', 'order'].map(
      (table) => `SELECT setval('bot.${table}_id_seq', (SELECT max(id) FROM bot."${table}"))`,
    ),
  ]
}

function serviceStatements({ holds, tasks, running }: Growth): string[] {
  const account = `1 + number % ${ACCOUNTS}`
  const at = (count: number) => `now() - interval '1 year' + number * interval '1 year' / ${count}`
  return [
    `INSERT INTO service.account (id, name, callback_secret)
     SELECT number, 'account ' || number, 'secret ' || number FROM generate_series(1, ${ACCOUNTS}) AS number`,
    `INSERT INTO service.api_key (public_id, account_id, secret_hash)
     SELECT 'key' || number, ${account}, '\\x00' FROM generate_series(1, ${ACCOUNTS * 10}) AS number`,
    `INSERT INTO service.hold (request_id, account_id, key_id, model, amount_micro_rub, state, first_output_at,
       lease_owner, cost_micro_rub, prompt_tokens, completion_tokens, created_at, ended_at,
       idempotency_key, request_hash, answer)
     SELECT ${uuid}, ${account}, 'key' || 1 + number % ${ACCOUNTS * 10}, 'model-' || number % 7, 3000, 'settled',
       at, 0, 1000, 500, 100, at, at,
       key, 'hash', CASE WHEN key IS NOT NULL THEN '{}'::bytea END
     FROM generate_series(1, ${holds}) AS number, LATERAL (
       SELECT ${at(holds)}, CASE number % 3 WHEN 0 THEN 'chat ' || number END
     ) AS of (at, key)`,
    `INSERT INTO service.task (id, account_id, key_id, endpoint, params, label, price_micro_rub, status, files,
       error_code, error_message, idempotency_key, callback_url, due_at, first_visit_at, created_at, ended_at)
     SELECT number, ${account}, 'key' || 1 + number % ${ACCOUNTS * 10}, 'sounds/soundgen-generate',
       '{"prompt":"a fox"}', 'soundgen', 3000000,
       status::service.task_status, CASE status WHEN 'success' THEN ARRAY[number || '.wav'] END,
       CASE status WHEN 'fail' THEN 500 END, CASE status WHEN 'fail' THEN 'Failed' END, 'order ' || number,
       'https://example.org/callbacks', CASE status WHEN 'generating' THEN now() + interval '1 day' END, at, at,
       CASE WHEN status <> 'generating' THEN at END
     FROM generate_series(1, ${tasks}) AS number, LATERAL (SELECT ${at(tasks)}) AS of (at),
       LATERAL (SELECT CASE WHEN number > ${tasks - running} THEN 'generating' WHEN number % 10 = 0 THEN 'fail'
         ELSE 'success' END) AS stands (status)`,
    `INSERT INTO service.callback (task_id, body, state, created_at, ended_at)
     SELECT id, '{}', 'delivered', ended_at, ended_at FROM service.task WHERE ended_at IS NOT NULL`,
    `INSERT INTO service.callback_attempt (task_id, number, started_at, ended_at, status)
     SELECT task_id, 1, ended_at, ended_at, 200 FROM service.callback`,
    `INSERT INTO service.entry (account_id, kind, amount_micro_rub, hold_id, task_id, key_id, created_at)
     SELECT account_id, kind::service.entry_kind, amount, hold_id, task_id, key_id, at FROM (
       SELECT id AS account_id, 'credit' AS kind, 1000000000000 AS amount, NULL::uuid AS hold_id,
         NULL::int AS task_id, NULL AS key_id, now() - interval '1 year' AS at FROM service.account
       UNION ALL
       SELECT account_id, kind, amount, request_id, NULL, key_id, created_at
       FROM service.hold, (VALUES ('hold', -3000), ('settlement', 2000)) AS moved (kind, amount)
       UNION ALL
       SELECT account_id, kind, amount, NULL, id, key_id, created_at
       FROM service.task, (VALUES ('charge', -3000000), ('refund', 3000000)) AS moved (kind, amount)
       WHERE kind = 'charge' OR status = 'fail') AS seed ORDER BY at`,
    `INSERT INTO service.rate_limit (account_id, route, accepted_at)
     SELECT id, route, '{}' FROM service.account, unnest(ARRAY['chats/completions', 'images']) AS route`,
    `UPDATE service.account SET balance_micro_rub = sum FROM (
       SELECT account_id, sum(amount_micro_rub) FROM service.entry GROUP BY 1) AS summed
     WHERE id = account_id`,
    `UPDATE service.api_key SET spent_micro_rub = sum FROM (
       SELECT key_id, -sum(amount_micro_rub) AS sum FROM service.entry GROUP BY 1) AS summed
     WHERE public_id = key_id`,
    `SELECT setval('service.account_id_seq', ${ACCOUNTS}), setval('service.task_id_seq', ${tasks})`,
  ]
}
