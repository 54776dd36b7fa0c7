import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { MediaKind, OrderState, TurnState } from '../../platform/database/generated/enums.ts'
import type { RequestKind } from '../rate-limit.ts'
import type { Calendar } from '../spend/calendar.ts'

/** The figures of all processes, as the database has them. A day here is the last 24 hours. */
export interface Stats {
  users: {
    all: number
    today: number
    week: number
  }
  /** Begun in the last day, by how they stand. */
  turns: { state: TurnState; count: number }[]
  /** The orders under way, and those that ended in the last day. */
  orders: { state: OrderState; isEnded: boolean; count: number }[]
  oldestOrderAt: Date | undefined
  errors: { kind: RequestKind; code: string; count: number }[]
  queues: { kind: string; waiting: number; asked: number; oldestAt: Date | null }[]
}

export interface StatsDeps {
  prisma: Pick<PrismaClient, '$queryRaw'>
  calendar: Pick<Calendar, 'today' | 'dateOf'>
}

const DAY_AGO = Prisma.sql`now() - interval '1 day'`

/** Reads what goes on, in one statement for users, turns, orders and queues each. */
export function createStats({ prisma, calendar }: StatsDeps) {
  return { read }

  async function read(): Promise<Stats> {
    const [users, turns, orders, queues] = await Promise.all([
      readUsers(),
      readTurns(),
      readOrders(),
      readQueues(),
    ])
    const errors = [
      ...turns.map(({ state, code, count }) => ({ kind: 'chat' as const, state, code, count })),
      ...orders,
    ].filter(({ state }) => state === 'failed')
    const placedAt = orders.flatMap(({ oldestAt }) => oldestAt?.getTime() ?? [])
    return {
      users,
      turns: addUp(turns, ({ state }) => state).map(([{ state }, count]) => ({ state, count })),
      orders: addUp(orders, ({ state, isEnded }) => `${state} ${isEnded}`).map(
        ([{ state, isEnded }, count]) => ({ state, isEnded, count }),
      ),
      oldestOrderAt: placedAt.length > 0 ? new Date(Math.min(...placedAt)) : undefined,
      errors: addUp(errors, ({ kind, code }) => `${kind} ${code}`)
        .map(([{ kind, code }, count]) => ({ kind, code: code ?? '–', count }))
        .toSorted((one, other) => other.count - one.count),
      queues,
    }
  }

  async function readUsers(): Promise<Stats['users']> {
    const [users] = await prisma.$queryRaw<Stats['users'][]>`
      SELECT (SELECT count(*) FROM bot."user")::int AS "all",
        count(*) FILTER (WHERE ${calendar.dateOf(Prisma.sql`seen_at`)} = ${calendar.today()})::int
          AS today,
        count(*)::int AS week
      FROM bot."user" WHERE seen_at > now() - interval '7 days'`
    if (!users) throw new TypeError('Cannot count users: a count without a row')
    return users
  }

  function readTurns(): Promise<{ state: TurnState; code: string | null; count: number }[]> {
    return prisma.$queryRaw`
      SELECT state::text, error_code AS code, count(*)::int AS count FROM bot.turn
      WHERE created_at > ${DAY_AGO} GROUP BY state, error_code ORDER BY state, error_code`
  }

  function readOrders(): Promise<
    {
      kind: MediaKind
      state: OrderState
      code: string | null
      isEnded: boolean
      count: number
      oldestAt: Date | null
    }[]
  > {
    // One that is kept for a chat which takes nothing has all the time in the world.
    return prisma.$queryRaw`
      SELECT kind::text, state::text, error_code::text AS code, ended_at IS NOT NULL AS "isEnded",
        count(*)::int AS count,
        min(created_at) FILTER (WHERE ended_at IS NULL AND parked_at IS NULL) AS "oldestAt"
      FROM bot."order"
      WHERE state <> 'draft' AND (ended_at IS NULL OR ended_at > ${DAY_AGO})
      GROUP BY kind, state, error_code, ended_at IS NOT NULL ORDER BY state, "isEnded", kind, error_code`
  }

  function readQueues(): Promise<Stats['queues']> {
    return prisma.$queryRaw`
      SELECT kind, count(*) FILTER (WHERE NOT is_asked)::int AS waiting,
        count(*) FILTER (WHERE is_asked)::int AS asked,
        min(created_at) FILTER (WHERE NOT is_asked) AS "oldestAt"
      FROM (
        SELECT 'chat' AS kind, state = 'streaming' AS is_asked, created_at FROM bot.turn
        WHERE ended_at IS NULL AND state IN ('waiting', 'streaming')
        UNION ALL SELECT kind::text, state = 'submitted', created_at FROM bot."order"
        WHERE ended_at IS NULL AND state IN ('placed', 'submitted')
      ) AS request GROUP BY kind ORDER BY kind`
  }
}

export type StatsReader = ReturnType<typeof createStats>

function addUp<Row extends { count: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): [Row, number][] {
  const groups = Map.groupBy(rows, keyOf)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const count = group.reduce((sum, row) => sum + row.count, 0)
    return first ? [[first, count] as [Row, number]] : []
  })
}
