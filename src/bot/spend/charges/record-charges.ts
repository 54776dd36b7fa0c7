/**
 * The one way by which a charge is written: a list of CTEs that every writer composes into its statement.
 *
 * Invariants, whichever processes write:
 * - a charge and what is counted of it (`spend_day`, `spend_total`, `spender`) are written by one statement,
 *   all or none; a charge that is there already adds nothing;
 * - the reservation of what has ended goes with it, and off its spenders' `reserved_micro_rub`.
 *
 * Why writers cannot deadlock. Locks are taken class by class, and in order within a class:
 * 1. the turn or order (where there are several, by id: `lock-charged.ts`; a writer that is one of several
 *    statements of a transaction comes after the one that changes the order);
 * 2. the charge's key, against another writer of the same charge, and the row of its reservation;
 * 3. the rows of `spender`, by id: groups, below zero, before users. One upsert takes them all, of which some
 *    may be new, so that it needs no look before. It reads all charges first, since it adds them up;
 * 4. the sums, which carry the user in their key: who holds the user's row of class 3 has them alone. They
 *    are written after it, because they ask for its count.
 * Every other statement that changes `spender` takes the rows by id as well, and locks a reservation before them.
 */
import { Prisma } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../calendar.ts'
import { addUp, counterOn, PERIOD_COUNTERS, PERIODS, SUBJECTS, SUM_COLUMNS, SUMS } from './sums.ts'

/** The columns that a writer may fill. */
export type ChargeColumn =
  | 'user_id'
  | 'chat_id'
  | 'turn_id'
  | 'request'
  | 'order_id'
  | 'kind'
  | 'item'
  | 'prompt_tokens'
  | 'history_tokens'
  | 'history_messages'
  | 'completion_tokens'
  | 'prompt_price_micro_rub'
  | 'completion_price_micro_rub'
  | 'amount_micro_rub'
  | 'estimated'
  | 'written_off_micro_rub'
  | 'reversal_of'
  | 'written_off'
  | 'request_id'
  | 'task_id'
  | 'created_at'

export interface NewCharges {
  /** The value of each column, as SQL; what is left out is null, false or 0. */
  columns: Readonly<Partial<Record<ChargeColumn, Prisma.Sql>>>
  from: Prisma.Sql
  /** A SELECT of the kinds and ids of turns and orders that are over: their reservations end. */
  over?: Prisma.Sql
  calendar: Pick<Calendar, 'today'>
}

const NAMES = Prisma.raw(SUM_COLUMNS.join(', '))

/**
 * SQL of the CTEs that write charges, for the WITH list of a statement; the first is called `charged` and has
 * the rows that were written. A charge of the same request or order, or a reversal of the same charge, makes
 * that none is.
 */
export function recordCharges({
  columns,
  from,
  over = Prisma.sql`SELECT NULL::bot.reservation_kind, NULL::bigint WHERE false`,
  calendar,
}: NewCharges): Prisma.Sql {
  const today = calendar.today()
  return Prisma.sql`
    charged AS (
      INSERT INTO bot.charge (${Prisma.raw(Object.keys(columns).join(', '))}, day)
      SELECT ${Prisma.join(Object.values(columns))}, ${today} ${from}
      ON CONFLICT DO NOTHING RETURNING *
    ), released AS (
      DELETE FROM bot.reservation WHERE (kind, id) IN (${over})
      RETURNING user_id, chat_id, amount_micro_rub
    ), counted AS (
      INSERT INTO bot.spender (id, day, reserved_micro_rub, day_micro_rub, week_micro_rub,
        month_micro_rub, total_micro_rub)
      SELECT subject.id, ${today}, -sum(reserved), sum(amount), sum(amount), sum(amount), sum(amount)
      FROM (
        SELECT user_id, chat_id, amount_micro_rub AS amount, 0 AS reserved FROM charged
        UNION ALL SELECT user_id, chat_id, 0, amount_micro_rub FROM released
      ) AS change, ${SUBJECTS}
      GROUP BY subject.id ORDER BY subject.id
      ON CONFLICT (id) DO UPDATE SET ${ADD_TO_COUNTERS}
      RETURNING id
    ), day_added AS (
      INSERT INTO bot.spend_day (user_id, chat_id, day, kind, item, ${NAMES})
      SELECT user_id, chat_id, day, kind, item, ${SUMS}
      FROM charged WHERE (SELECT count(*) FROM counted) > 0
      GROUP BY user_id, chat_id, day, kind, item
      ON CONFLICT (user_id, chat_id, day, kind, item) DO UPDATE SET ${addUp('spend_day')}
    ), total_added AS (
      INSERT INTO bot.spend_total (user_id, chat_id, kind, item, ${NAMES})
      SELECT user_id, chat_id, kind, item, ${SUMS}
      FROM charged WHERE (SELECT count(*) FROM counted) > 0
      GROUP BY user_id, chat_id, kind, item
      ON CONFLICT (user_id, chat_id, kind, item) DO UPDATE SET ${addUp('spend_total')}
    )`
}

/** Copies the facts of a charge into the row that takes it back. */
export const REVERSAL_COLUMNS = {
  user_id: Prisma.sql`user_id`,
  chat_id: Prisma.sql`chat_id`,
  turn_id: Prisma.sql`turn_id`,
  request: Prisma.sql`request`,
  order_id: Prisma.sql`order_id`,
  kind: Prisma.sql`kind`,
  item: Prisma.sql`item`,
  amount_micro_rub: Prisma.sql`-amount_micro_rub`,
  estimated: Prisma.sql`estimated`,
  reversal_of: Prisma.sql`id`,
  task_id: Prisma.sql`task_id`,
} as const satisfies NewCharges['columns']

/** The later of the two days stands: who writes at midnight may have read the clock before. */
const ADD_TO_COUNTERS = addToCounters()

function addToCounters(): Prisma.Sql {
  const day = Prisma.sql`greatest(spender.day, excluded.day)`
  const counters = PERIODS.map(
    (period) =>
      Prisma.sql`${Prisma.raw(PERIOD_COUNTERS[period])} =
        ${counterOn(period, day, 'spender')} + ${counterOn(period, day, 'excluded')}`,
  )
  return Prisma.sql`
    day = ${day},
    ${Prisma.join(counters)},
    reserved_micro_rub = spender.reserved_micro_rub + excluded.reserved_micro_rub,
    total_micro_rub = spender.total_micro_rub + excluded.total_micro_rub`
}
