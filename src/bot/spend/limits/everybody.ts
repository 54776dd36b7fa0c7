/**
 * The limit for everybody together, and how it is judged without all who ask waiting for one row.
 *
 * What counts against it stands on no row: it is the sum of all charges and reservations, and too dear for each request.
 * So what it leaves is shared out to the parts of `bot.shared_room`, and a turn takes its reservation from one of them, in
 * the statement that judges the limits of its user and its group, too. Where none has enough, all parts are locked, what is
 * left is added up and judged to the last micro-rouble, and shared out anew.
 *
 * Invariants:
 * - the parts are together no more than any of its limits leaves. A reservation takes from a part what it adds to what is
 *   reserved; a charge is no more than its reservation; a period that begins, or money that is taken back, leaves more.
 *   What a charge leaves of its reservation comes back when all is added up;
 * - who changes such a limit empties the parts in the same transaction; where there is none they are null;
 * - a reservation that took of a part is committed before the part can be locked, so that what is added up by a statement
 *   that begins after all are locked has all of them;
 * - the parts are locked last, after `spender`, and one by one only by a statement that is a transaction of its own: who
 *   locks all of them has locked none before.
 */
import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../../platform/database/generated/enums.ts'
import type { Calendar, Period } from '../calendar.ts'
import { allDates, LAST_FINISHED_DATE, readLastFinishedDate } from '../charges/finished-dates.ts'

/** The subject of the limit for everybody together. Telegram gives no group this id. */
export const EVERYBODY = -2n

/** How long a process that stops in the middle keeps all parts locked. */
const LOCKED_MS_MAX = 2_000

const PARTS = 16

type Tx = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>

/**
 * SQL of a row as `HeldLimit` for each limit for everybody.
 *
 * @param last As `allDates()` needs it.
 */
export function everybodysLimits(
  calendar: Pick<Calendar, 'today' | 'firstOf' | 'endOf'>,
  last: string,
): Prisma.Sql {
  return Prisma.sql`
    SELECT ${EVERYBODY}::bigint AS "subjectId", period, amount_micro_rub AS "amountMicroRub",
      set_by <> 0 AS "isOwn",
      ${RESERVED} AS "reservedMicroRub",
      CASE period
        WHEN 'day' THEN ${spentSince(calendar, 'day', last)}
        WHEN 'week' THEN ${spentSince(calendar, 'week', last)}
        WHEN 'month' THEN ${spentSince(calendar, 'month', last)}
        ELSE ${spentSince(calendar, 'all', last)}
      END AS "spentMicroRub",
      CASE period
        WHEN 'day' THEN ${calendar.endOf('day')}
        WHEN 'week' THEN ${calendar.endOf('week')}
        WHEN 'month' THEN ${calendar.endOf('month')}
      END AS "resetsAt",
      ${isLifted(calendar)} AS "isLifted"
    FROM bot.spend_limit
    WHERE subject_id = ${EVERYBODY}`
}

/** Reads the sums that count against the limits for everybody, whether there are any or not. */
export async function readSpentByEverybody(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  calendar: Pick<Calendar, 'firstOf'>,
): Promise<{ spentMicroRub: Record<LimitPeriod, bigint>; reservedMicroRub: bigint }> {
  const last = await readLastFinishedDate(prisma)
  const sumFrom = (condition: Prisma.Sql) =>
    Prisma.sql`coalesce(sum(${SPENT}) FILTER (WHERE ${condition}), 0)::bigint`
  const since = (period: Period) => sumFrom(Prisma.sql`spent_on.day >= ${calendar.firstOf(period)}`)
  const [row] = await prisma.$queryRaw<({ reserved: bigint } & Record<LimitPeriod, bigint>)[]>`
    SELECT ${RESERVED} AS reserved, ${since('day')} AS day, ${since('week')} AS week,
      ${since('month')} AS month, ${sumFrom(Prisma.sql`true`)} AS "all" FROM ${allDates(last)}`
  if (row === undefined) throw new TypeError('Cannot read what everybody spent: no row')
  const { reserved, ...spentMicroRub } = row
  return { spentMicroRub, reservedMicroRub: reserved }
}

const RESERVED = Prisma.sql`
  (SELECT coalesce(sum(amount_micro_rub), 0)::bigint FROM bot.reservation)`

/** SQL of what was charged and written off: the service keeps both. */
const SPENT = Prisma.sql`spent_on.amount_micro_rub + spent_on.written_off_micro_rub`

function spentSince(
  calendar: Pick<Calendar, 'firstOf'>,
  period: LimitPeriod,
  last: string,
): Prisma.Sql {
  const since =
    period === 'all' ? Prisma.empty : Prisma.sql`WHERE spent_on.day >= ${calendar.firstOf(period)}`
  return Prisma.sql`(
    SELECT coalesce(sum(${SPENT}), 0)::bigint
    FROM ${allDates(last)} ${since})`
}

/**
 * Locks all parts, until the end of the transaction.
 *
 * @returns The date that `everybodysLimits()` needs.
 */
export async function lockSharedRoom(tx: Tx): Promise<string> {
  const [part] = await tx.$queryRaw<{ last: string }[]>`
    SELECT id, set_config('idle_in_transaction_session_timeout', ${String(LOCKED_MS_MAX)}, true),
      ${LAST_FINISHED_DATE} AS last
    FROM bot.shared_room ORDER BY id FOR UPDATE`
  if (part === undefined) throw new TypeError('Cannot lock the shared room: it has no parts')
  return part.last
}

/**
 * Empties the parts: the limit is another one from now on, and what it leaves is added up before anybody asks. Without a
 * limit they are null.
 */
export async function emptySharedRoom(tx: Tx): Promise<void> {
  await tx.$executeRaw`
    WITH locked AS MATERIALIZED (SELECT id FROM bot.shared_room ORDER BY id FOR UPDATE)
    UPDATE bot.shared_room SET micro_rub = CASE WHEN ${IS_SET} THEN 0 END
    FROM locked WHERE shared_room.id = locked.id`
}

/**
 * How a statement judges what the limits of a user and a group have `allowed`: SQL of CTEs, of which `granted` is what
 * everybody's limit has room for, and has no row where that is to be added up.
 */
export type RoomTaking = (sums: { added: Prisma.Sql; before: Prisma.Sql }) => Prisma.Sql

/** Takes from one part. For a statement that is a transaction of its own. */
export const takeOfPart: RoomTaking = (sums) => {
  const { added } = sums
  return Prisma.sql`
    part AS (
      UPDATE bot.shared_room SET micro_rub = micro_rub - greatest(${added}, 0) FROM allowed
      WHERE id = (
        -- Each connection begins at another one, so that those who ask at once seldom meet.
        SELECT id FROM bot.shared_room, allowed
        WHERE micro_rub >= greatest(${added}, 1) AND NOT ${isTaken(sums)}
        ORDER BY (id + pg_backend_pid()) % ${PARTS}::int LIMIT 1
      ) AND micro_rub >= greatest(${added}, 1)
      RETURNING id
    ), granted AS MATERIALIZED (
      SELECT * FROM allowed WHERE EXISTS (SELECT FROM part) OR ${isTaken(sums)}
        OR EXISTS (SELECT FROM bot.shared_room WHERE micro_rub IS NULL)
    )`
}

/** Takes nothing: grants where no such limit holds. */
export function takeNone(calendar: Pick<Calendar, 'today'>): RoomTaking {
  return (sums) => Prisma.sql`
    granted AS MATERIALIZED (
      SELECT * FROM allowed WHERE ${isTaken(sums)} OR NOT ${IS_SET} OR ${isLifted(calendar)}
    )`
}

/** Shares out anew what is left of it all. For a statement that has judged `everybodysLimits()` under their lock. */
export const shareOut: RoomTaking = ({ before }) => Prisma.sql`
  granted AS MATERIALIZED (SELECT * FROM allowed), share AS (
    SELECT greatest((min(room) - coalesce((SELECT amount_micro_rub FROM granted), ${before})) / ${PARTS}::int, 0)
      AS micro_rub
    FROM held WHERE "subjectId" = ${EVERYBODY}
  ), shared AS (
    UPDATE bot.shared_room SET micro_rub = share.micro_rub FROM share
    WHERE shared_room.micro_rub IS DISTINCT FROM share.micro_rub
  )`

function isTaken({ added, before }: Parameters<RoomTaking>[0]): Prisma.Sql {
  return Prisma.sql`(${before} > 0 AND ${added} <= 0)`
}

/** SQL that is true where there is such a limit, be it lifted. */
const IS_SET = Prisma.sql`EXISTS (
  SELECT FROM bot.spend_limit WHERE subject_id = ${EVERYBODY} AND amount_micro_rub IS NOT NULL)`

function isLifted(calendar: Pick<Calendar, 'today'>): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM bot.spender WHERE id = ${EVERYBODY} AND unlimited_on = ${calendar.today()})`
}
