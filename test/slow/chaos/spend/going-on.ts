import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { SpendUsers } from './spend-users.ts'

const FEED_MS = 100

const UNDER_WAY = `
  SELECT $1 - (SELECT count(*) FROM bot.update)
    + (SELECT count(*) FROM bot.update WHERE handled_at IS NULL)
    + (SELECT count(*) FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL)
    + (SELECT count(*) FROM bot."order" WHERE ended_at IS NULL AND state <> 'draft') AS "underWay"`

const GOING_ON = `
  SELECT (SELECT count(*)::int FROM bot.update WHERE handled_at IS NULL) AS updates,
    (SELECT count(*)::int FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL) AS turns,
    (SELECT count(*)::int FROM bot."order" WHERE ended_at IS NULL AND state <> 'draft') AS orders,
    (SELECT count(*)::int FROM bot.reservation) AS reservations,
    (SELECT count(*)::int FROM bot.spender WHERE reserved_micro_rub <> 0) AS spenders,
    (SELECT count(*)::int FROM service.request WHERE ended_at IS NULL) AS holds,
    (SELECT count(*)::int FROM service.task WHERE status NOT IN ('success', 'fail')) AS tasks`

/** What `readGoingOn()` reads at rest. */
export const NOTHING = {
  updates: 0,
  turns: 0,
  orders: 0,
  reservations: 0,
  spenders: 0,
  holds: 0,
  tasks: 0,
}

/**
 * Has users write whenever there is room, until they have written enough.
 *
 * @param underWayMax How many updates are on their way at the same time. There is no room while PostgreSQL is away.
 */
export async function feed(
  pool: Pool,
  { act, updates }: Pick<SpendUsers, 'act' | 'updates'>,
  { underWayMax, isFed }: { underWayMax: number; isFed: () => boolean },
): Promise<void> {
  while (!isFed()) {
    const read = pool.query<{ underWay: string }>(UNDER_WAY, [updates()])
    const { rows } = await read.catch(() => ({ rows: [] }))
    const underWay = Number(rows[0]?.underWay ?? underWayMax)
    for (let room = underWayMax - underWay; room > 0 && !isFed(); room -= 1) act()
    await delay(FEED_MS)
  }
}

/** Counts what has not ended, by kind. Undefined while PostgreSQL is away. */
export async function readGoingOn(pool: Pool): Promise<typeof NOTHING | undefined> {
  const read = pool.query<typeof NOTHING>(GOING_ON)
  return (await read.catch(() => ({ rows: [] }))).rows[0]
}
