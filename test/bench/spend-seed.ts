import type pg from 'pg'

export const USERS = 10_000
export const CHARGES = 1_000_000
const FIRST_USER_ID = 1001

/**
 * A year of charges, evenly spread over the users and their days: for the sums of days that is the worst there
 * is, since nearly every charge is alone in its own. Of the charges of clips every third one is taken back, half
 * of these written off.
 */
export async function seedCharges(pool: pg.Pool): Promise<void> {
  await pool.query(
    `INSERT INTO bot."user" (id, first_name, username)
     SELECT $1::bigint + number, 'User ' || number,
       CASE WHEN number % 3 = 0 THEN 'user' || number END
     FROM generate_series(0, $2::int - 1) AS number`,
    [FIRST_USER_ID, USERS],
  )
  await pool.query(
    `INSERT INTO bot.charge (user_id, chat_id, kind, item, prompt_tokens, history_tokens,
       completion_tokens, prompt_price_micro_rub, completion_price_micro_rub, amount_micro_rub,
       estimated, request_id, task_id, day, created_at)
     SELECT user_id,
       CASE WHEN user_id % 20 = 0 THEN -1000000000000 - user_id % 500 ELSE user_id END,
       kind::bot.charge_kind, CASE WHEN is_chat THEN 'model-' || number % 7 ELSE 'label-' || kind END,
       CASE WHEN is_chat THEN 20000 END, CASE WHEN is_chat THEN 15000 END,
       CASE WHEN is_chat THEN 500 END,
       CASE WHEN is_chat THEN 150000000 END, CASE WHEN is_chat THEN 600000000 END,
       1000 + (random() * 5000000)::bigint, number % 50 = 0,
       CASE WHEN is_chat THEN gen_random_uuid()::text END,
       CASE WHEN NOT is_chat THEN number END,
       (at AT TIME ZONE 'Europe/Moscow')::date, at
     FROM (
       SELECT number, kind, kind IN ('answer', 'retry') AS is_chat,
         $1::bigint + floor(random() * $2::int)::bigint AS user_id,
         now() - ($3::int - number) * interval '31.5 s' AS at
       FROM generate_series(1, $3::int) AS number
       CROSS JOIN LATERAL (SELECT (ARRAY['retry', 'video', 'image', 'sound'])[number % 25 + 1]) AS made(named)
       CROSS JOIN LATERAL (SELECT coalesce(named, 'answer')) AS counted(kind)
     ) AS seed`,
    [FIRST_USER_ID, USERS, CHARGES],
  )
  await pool.query(
    `INSERT INTO bot.charge (user_id, chat_id, kind, item, amount_micro_rub, estimated, task_id,
       reversal_of, written_off, day, created_at)
     SELECT user_id, chat_id, kind, item, -amount_micro_rub, estimated, task_id, id, id % 2 = 0, day,
       created_at
     FROM bot.charge WHERE kind = 'video' AND id % 3 = 0`,
  )
}
