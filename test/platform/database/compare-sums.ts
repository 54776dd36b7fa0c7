import pg from 'pg'

/** What counts against the limits: by the counters that were kept until now, and by the open rows and sums of days. */
const OLD = `
  SELECT id::text, reserved_micro_rub AS held, total_micro_rub AS spent FROM bot.spender
  UNION ALL SELECT 'all', coalesce(sum(amount_micro_rub), 0), (
    SELECT coalesce(sum(amount_micro_rub), 0) FROM bot.spend_total) FROM bot.reservation`
const SUBJECTS = `
  LATERAL (SELECT user_id UNION ALL SELECT chat_id WHERE chat_id < 0 AND chat_id <> user_id) AS subject(id)`
const NEW = `
  WITH counted AS (
    SELECT user_id, chat_id, held_micro_rub AS held, 0 AS spent FROM bot.turn WHERE held_micro_rub IS NOT NULL
    UNION ALL SELECT user_id, chat_id, held_micro_rub, 0 FROM bot."order" WHERE held_micro_rub IS NOT NULL
    UNION ALL SELECT user_id, chat_id, 0, amount_micro_rub FROM bot.spend_day
  )
  SELECT subject.id::text, sum(held) AS held, sum(spent) AS spent FROM counted, ${SUBJECTS} GROUP BY 1
  UNION ALL SELECT 'all', sum(held), sum(spent) FROM counted`
const COMPARED = `
  SELECT id, coalesce(before.held, 0) AS "heldBefore", coalesce(now.held, 0) AS held,
    coalesce(before.spent, 0) AS "spentBefore", coalesce(now.spent, 0) AS spent
  FROM (${OLD}) AS before FULL JOIN (${NEW}) AS now USING (id)
  WHERE (coalesce(before.held, 0), coalesce(before.spent, 0))
    IS DISTINCT FROM (coalesce(now.held, 0), coalesce(now.spent, 0))`

/** Fails if the two ways to count differ in a database. */
export async function compareSums(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query(`SELECT to_regclass('bot.spender') AS name`)
    if (tables[0]?.name === null) return
    const { rows } = await client.query(COMPARED)
    if (rows.length > 0) throw new Error(`Sums differ: ${JSON.stringify(rows)}`)
  } finally {
    await client.end()
  }
}
