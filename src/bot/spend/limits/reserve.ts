/**
 * Turns and orders that may cost money, reserved before the service is asked.
 *
 * Invariants, whichever processes write:
 * - no reservation takes what is spent and reserved above a limit, a user's, a group's or everybody's: who reserves
 *   holds the counters of both from the judgement until they are written, by one statement, and a part of what is
 *   left for everybody (`everybody.ts`). Of what waits for a row that it locks, a statement sees the newest version, of
 *   all else what was there when it began: so that all that is judged stands on these rows;
 * - what a user or a group has reserved is the sum of its reservations;
 * - a reservation ends with the charge, or when nothing is charged; a charge above it is the one way in which
 *   a limit is passed.
 *
 * Locks are taken in the order of `charges/record-charges.ts`.
 */
import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { LimitPeriod, ReservationKind } from '../../../platform/database/generated/enums.ts'
import type { Calendar } from '../calendar.ts'
import { SUBJECTS } from '../charges/sums.ts'
import {
  EVERYBODY,
  everybodysLimits,
  lockSharedRoom,
  type RoomTaking,
  shareOut,
  takeNone,
  takeOfPart,
} from './everybody.ts'
import { type HeldLimit, heldLimits } from './held-limits.ts'
import type { LimitRefusal } from './limit-refusal.ts'

type Tx = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>
type Client = Pick<PrismaClient, '$queryRaw' | '$executeRaw' | '$transaction'>

/** A turn or an order that is about to cost money. */
export interface Asking {
  kind: ReservationKind
  id: bigint
  /** The highest cost that is expected, ≥ 0; 0 where that is not known: it needs some room all the same. */
  amountMicroRub: bigint
  /**
   * What it is worth going for, where a limit leaves no room for all of it: what is left is reserved then. By default it
   * goes for all or not at all.
   */
  leastMicroRub?: bigint | undefined
  /** SQL that locks the row of the turn or the order and selects its user_id and chat_id; no row if it must not go. */
  asker: Prisma.Sql
  /**
   * SQL of a further CTE that takes effect if something is reserved: then `granted` has a row, and its amount_micro_rub
   * is how much.
   */
  onGranted?: Prisma.Sql
}

/** `gone`: there was nothing to reserve for. */
export type ReserveOutcome =
  | Reserved
  | { status: 'gone' }
  | { status: 'refused'; refusal: LimitRefusal }

/** Money that is reserved. */
export interface Reserved {
  status: 'reserved'
  amountMicroRub: bigint
  boundBy?: LimitRefusal | undefined
}

type Judged = Pick<HeldLimit, 'subjectId' | 'period' | 'resetsAt'> & {
  [Name in 'limitMicroRub' | 'spentMicroRub' | 'reservedMicroRub']: bigint
}

/** A judgement as it comes from the database: where no limit binds, its columns are null. */
type Row = {
  isThere: boolean
  uncounted: bigint[] | null
  isUnshared: boolean
  grantedMicroRub: bigint | null
} & (Judged | { [Name in keyof Judged]: null })

interface Sharing {
  take: RoomTaking
  last?: string
}

export interface ReserveDeps {
  calendar: Calendar
  adminIds: ReadonlySet<number>
  onEverybodyReached?: (period: LimitPeriod) => void
}

/** Reserves money before the service is asked for what costs it. */
export function createReserve(deps: ReserveDeps) {
  const { calendar } = deps
  const fromNone = takeNone(calendar)
  return { reserve, reserveIn }

  /**
   * Reserves what a turn or an order may cost, or what limits leave of that, instead of what was reserved for it
   * before, unless they leave less than it goes for.
   */
  async function reserve(prisma: Client, asking: Asking): Promise<ReserveOutcome> {
    const row = await judgeCounted(prisma, asking, takeOfPart)
    if (!row.isUnshared) return toOutcome(row, asking)
    return prisma.$transaction((tx) => reserveIn(tx, asking))
  }

  async function reserveIn(tx: Tx, asking: Asking): Promise<ReserveOutcome> {
    const row = await judgeCounted(tx, asking, fromNone)
    if (!row.isUnshared) return toOutcome(row, asking)
    const last = await lockSharedRoom(tx)
    const outcome = toOutcome(await judge(tx, asking, { take: shareOut, last }), asking)
    if (outcome.status === 'refused' && outcome.refusal.subjectId === EVERYBODY) {
      deps.onEverybodyReached?.(outcome.refusal.period)
    }
    return outcome
  }

  async function judgeCounted(tx: Tx, asking: Asking, take: RoomTaking): Promise<Row> {
    const row = await judge(tx, asking, { take })
    if (row.uncounted === null) return row
    // Who spends for the first time has no counters that could be held.
    await tx.$executeRaw`${addSpenders(row.uncounted, calendar)}`
    return judge(tx, asking, { take })
  }

  async function judge(tx: Tx, asking: Asking, { take, last }: Sharing): Promise<Row> {
    const { kind, id, amountMicroRub, leastMicroRub = amountMicroRub, asker, onGranted } = asking
    const before = Prisma.sql`coalesce((SELECT amount_micro_rub FROM before), 0)`
    const amount = Prisma.sql`${amountMicroRub}::bigint`
    const isTooLittle = Prisma.sql`room < greatest(${leastMicroRub}::bigint, 1)`
    const added = Prisma.sql`allowed.amount_micro_rub - ${before}`
    const [row] = await tx.$queryRaw<Row[]>`
      WITH asker AS MATERIALIZED (${asker}), before AS MATERIALIZED (
        SELECT amount_micro_rub FROM bot.reservation
        WHERE kind = ${kind}::bot.reservation_kind AND id = ${id} AND EXISTS (SELECT FROM asker)
        FOR UPDATE
      ), spenders AS MATERIALIZED (
        SELECT * FROM bot.spender
        WHERE id IN (SELECT subject.id FROM asker, ${SUBJECTS}) AND ${before} >= 0
        ORDER BY id FOR UPDATE
      ), held AS MATERIALIZED (
        SELECT "subjectId", period, "resetsAt", "amountMicroRub" AS "limitMicroRub", "spentMicroRub",
          "reservedMicroRub" - ${before} AS "reservedMicroRub",
          "amountMicroRub" - "spentMicroRub" - "reservedMicroRub" + ${before} AS room
        FROM (
          ${heldLimits(Prisma.sql`spenders`, deps)}
          ${last === undefined ? Prisma.empty : Prisma.sql`UNION ALL ${everybodysLimits(calendar, last)}`}
        ) AS held
        WHERE NOT "isLifted" AND "amountMicroRub" IS NOT NULL
      ), bound AS MATERIALIZED (
        -- Of those that refuse the one that lasts longest, else the one that leaves least.
        SELECT * FROM held WHERE room < greatest(${amount}, 1)
        ORDER BY ${isTooLittle} DESC, CASE WHEN NOT ${isTooLittle} THEN room END,
          "resetsAt" DESC NULLS FIRST, "subjectId" DESC LIMIT 1
      ), uncounted AS MATERIALIZED (
        SELECT subject.id FROM asker, ${SUBJECTS} WHERE subject.id NOT IN (SELECT id FROM spenders)
      ), allowed AS MATERIALIZED (
        SELECT user_id, chat_id, least((SELECT room FROM bound), ${amount}) AS amount_micro_rub FROM asker
        WHERE NOT EXISTS (SELECT FROM bound WHERE ${isTooLittle}) AND NOT EXISTS (SELECT FROM uncounted)
      ), ${take({ added, before })}, reserved AS (
        INSERT INTO bot.reservation (kind, id, user_id, chat_id, amount_micro_rub)
        SELECT ${kind}::bot.reservation_kind, ${id}, user_id, chat_id, amount_micro_rub
        FROM granted WHERE amount_micro_rub > 0 OR EXISTS (SELECT FROM before)
        ON CONFLICT (kind, id) DO UPDATE SET amount_micro_rub = excluded.amount_micro_rub
      ), counted AS (
        UPDATE bot.spender SET
          reserved_micro_rub = spender.reserved_micro_rub + granted.amount_micro_rub - ${before}
        FROM granted, spenders WHERE spender.id = spenders.id
      )${onGranted ? Prisma.sql`, ${onGranted}` : Prisma.empty}
      SELECT EXISTS (SELECT FROM asker) AS "isThere",
        (SELECT array_agg(id) FROM uncounted) AS uncounted,
        EXISTS (SELECT FROM allowed) AND NOT EXISTS (SELECT FROM granted) AS "isUnshared",
        (SELECT amount_micro_rub FROM granted) AS "grantedMicroRub", "subjectId", period, "resetsAt",
        "limitMicroRub", "spentMicroRub", "reservedMicroRub"
      FROM (VALUES (true)) AS always LEFT JOIN bound ON true`
    if (row === undefined) throw new TypeError('Cannot reserve: a judgement without a row')
    return row
  }
}

export type Reservations = ReturnType<typeof createReserve>
export type Reserve = Reservations['reserve']
export type ReserveIn = Reservations['reserveIn']

function toOutcome(row: Row, asking: Asking): ReserveOutcome {
  const { isThere, uncounted, isUnshared, grantedMicroRub, ...judged } = row
  if (!isThere || uncounted !== null || isUnshared) return { status: 'gone' }
  const { amountMicroRub, leastMicroRub = amountMicroRub } = asking
  if (judged.period === null) return { status: 'reserved', amountMicroRub }
  if (grantedMicroRub === null) {
    return { status: 'refused', refusal: { ...judged, neededMicroRub: leastMicroRub } }
  }
  const boundBy = { ...judged, neededMicroRub: amountMicroRub }
  return { status: 'reserved', amountMicroRub: grantedMicroRub, boundBy }
}

/**
 * SQL that gives counters to those users and groups that have none yet: who spends holds their counters
 * (`createReserve`), and cannot hold what is not there. Returns the ids of those that had none.
 */
function addSpenders(ids: readonly bigint[], calendar: Pick<Calendar, 'today'>): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO bot.spender (id, day)
    SELECT subject.id, ${calendar.today()} FROM unnest(${[...ids]}::bigint[]) AS subject(id)
    WHERE NOT EXISTS (SELECT FROM bot.spender WHERE spender.id = subject.id)
    ORDER BY subject.id ON CONFLICT DO NOTHING RETURNING id`
}
