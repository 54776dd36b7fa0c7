import type pg from 'pg'

const USER_ID = 801

/** How many orders a database has. */
export interface OrderCounts {
  /** The number of orders that are being made. */
  orders: number
  endedOrders: number
}

/** Orders that are being made, among many more that have ended. */
export async function seedOrders(
  client: pg.Client,
  { orders, endedOrders }: OrderCounts,
): Promise<void> {
  await client.query(`INSERT INTO bot."user" (id, first_name) VALUES (${USER_ID}, 'Bench')`)
  const insert = (count: number, columns: string, values: string) =>
    client.query(
      `INSERT INTO bot."order" (user_id, chat_id, kind, origin_key, reply_to_message_id, params, label,
         price_micro_rub, idempotency_key, ${columns})
       SELECT ${USER_ID}, ${USER_ID}, 'video', gen_random_uuid(), number,
         '{"prompt": "a fox in the snow", "aspect_ratio": "1280:720"}', 'vidgen-720p-5s', 40000000,
         gen_random_uuid(), ${values} FROM generate_series(1, $1::int) AS number`,
      [count],
    )
  await insert(endedOrders, 'state, task_id, ended_at, due_at', `'delivered', -number, now(), NULL`)
  await insert(orders, 'state, task_id, generating_at', `'generating', number, now()`)
  await client.query('VACUUM ANALYZE')
}

/** Rows of orders that were read by going through the whole table. */
export async function readScannedRows(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ scanned: string }>(
    `SELECT seq_tup_read AS scanned FROM pg_stat_user_tables
     WHERE schemaname = 'bot' AND relname = 'order'`,
  )
  return Number(rows[0]?.scanned)
}
