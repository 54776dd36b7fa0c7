import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../../platform/database/generated/enums.ts'
import { recordChange } from '../../settings/change-log.ts'
import type { Calendar } from '../calendar.ts'
import { readLastFinishedDate } from '../charges/finished-dates.ts'
import { EVERYBODY, emptySharedRoom, everybodysLimits } from './everybody.ts'
import { type HeldLimit, heldLimits } from './held-limits.ts'

/** The subject whose limits hold for every user, admins left out, who has none of their own for a period. */
export const ALL_USERS = 0n
/** The same of groups. Telegram gives no group this id. */
export const ALL_GROUPS = -1n

/** No limit is above a thousand million roubles: what is, is a slip of the pen. */
export const LIMIT_MICRO_RUB_MAX = 1_000_000_000_000_000n

/** How much of a limit is spent when it is near, in percent. */
export const NEAR_PERCENT = 80n

/** SQL that is true if a user or a group may have a limit. */
export const ARE_LIMITS_SET = Prisma.sql`EXISTS (
  SELECT FROM bot.spend_limit WHERE amount_micro_rub IS NOT NULL AND subject_id <> ${EVERYBODY})`

/** Who set the default limit for everybody: the settings, by BUDGET_RUB, and no admin. */
const BY_SETTINGS = 0n

/** The limit of a user, of a group, of all who have none of their own, or for everybody, for one period. */
export interface LimitOf {
  /** A user's id, a group's, `ALL_USERS`, `ALL_GROUPS` or `EVERYBODY`. */
  subjectId: bigint
  period: LimitPeriod
}

/** A limit and the admin who changes it. */
export interface ChangedLimit extends LimitOf {
  adminId: number
}

export interface NewLimit extends ChangedLimit {
  /** An amount from 0 to `LIMIT_MICRO_RUB_MAX`; null exempts from the default. */
  amountMicroRub: bigint | null
}

/** A limit for everybody. */
export interface EverybodysLimit extends HeldLimit {
  /** When its period began, or it was set in that: what was reported before is of another. */
  beganAt: Date
}

/** A limit that is to be no less than an amount. */
export interface RaisedLimit extends ChangedLimit {
  amountMicroRub: bigint
}

/** A limit as it was set, for somebody's own or as a default. */
export interface StoredLimit extends LimitOf {
  amountMicroRub: bigint | null
  setById: bigint
  setAt: Date
}

/** The user who spends, and the chat. */
export interface Spending {
  userId: bigint
  chatId: bigint | number
}

export interface LimitsDeps {
  prisma: PrismaClient
  calendar: Calendar
  /** The admins that the settings name; the others are found in the database. */
  adminIds: ReadonlySet<number>
  budgetMicroRub?: bigint | undefined
}

/** Sets and reads the limits of users and groups, and for everybody: docs/spend.md#limits. */
export function createLimits({ prisma, calendar, adminIds, budgetMicroRub }: LimitsDeps) {
  return {
    storeBudget,
    set,
    setIn,
    raise,
    liftIn,
    clear,
    list,
    ofSubject,
    ofEverybody,
    monthOfEverybody,
    mayHold,
  }

  /** Has BUDGET_RUB of this start hold, in all processes, unless an admin has set another limit. Safe to repeat. */
  function storeBudget(): Promise<void> {
    return prisma.$transaction(async (tx) => {
      if (await putBudget(tx)) await emptySharedRoom(tx)
    })
  }

  async function putBudget(tx: Prisma.TransactionClient): Promise<boolean> {
    if (budgetMicroRub === undefined) {
      const where = { subjectId: EVERYBODY, period: 'month', setById: BY_SETTINGS } as const
      const { count } = await tx.spendLimit.deleteMany({ where })
      return count > 0
    }
    const changed = await tx.$executeRaw`
      INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by, set_at)
      VALUES (${EVERYBODY}, 'month', ${budgetMicroRub}, ${BY_SETTINGS}, now())
      ON CONFLICT (subject_id, period) DO UPDATE SET amount_micro_rub = excluded.amount_micro_rub,
        set_at = excluded.set_at
        WHERE spend_limit.set_by = ${BY_SETTINGS}
          AND spend_limit.amount_micro_rub IS DISTINCT FROM excluded.amount_micro_rub`
    return changed > 0
  }

  function set(limit: NewLimit): Promise<void> {
    return prisma.$transaction((tx) => setIn(tx, limit))
  }

  async function setIn(tx: Prisma.TransactionClient, limit: NewLimit): Promise<void> {
    const { subjectId, period, amountMicroRub, adminId } = limit
    if (amountMicroRub !== null && (amountMicroRub < 0n || amountMicroRub > LIMIT_MICRO_RUB_MAX)) {
      throw new RangeError(`Cannot set limit: ${amountMicroRub} is no amount of one`)
    }
    const before = await lock(tx, limit)
    await tx.$executeRaw`
      INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by, set_at)
      VALUES (${subjectId}, ${period}::bot.limit_period, ${amountMicroRub}, ${adminId}, now())
      ON CONFLICT (subject_id, period) DO UPDATE SET amount_micro_rub = excluded.amount_micro_rub,
        set_by = excluded.set_by, set_at = excluded.set_at`
    await recordLimit(tx, limit, { before, after: toLogged(amountMicroRub) })
    if (subjectId === EVERYBODY) await emptySharedRoom(tx)
  }

  /** Raises a limit that there is, and records who did; one that is as high, or was taken away, stays. */
  function raise({ amountMicroRub, ...limit }: RaisedLimit): Promise<bigint | null> {
    return prisma.$transaction(async (tx) => {
      const { subjectId, period } = limit
      const before = await lock(tx, limit)
      if (before === null || before === NONE) return null
      if (BigInt(before) >= amountMicroRub) return BigInt(before)
      await setIn(tx, { subjectId, period, amountMicroRub, adminId: limit.adminId })
      return amountMicroRub
    })
  }

  async function liftIn(tx: Prisma.TransactionClient, subjectId: bigint): Promise<void> {
    await tx.$executeRaw`
      INSERT INTO bot.spender (id, day, unlimited_on)
      VALUES (${subjectId}, ${calendar.today()}, ${calendar.today()})
      ON CONFLICT (id) DO UPDATE SET unlimited_on = excluded.unlimited_on`
    // What is spent until then takes nothing of it.
    if (subjectId === EVERYBODY) await emptySharedRoom(tx)
  }

  function clear(limit: ChangedLimit): Promise<void> {
    const { subjectId, period } = limit
    return prisma.$transaction(async (tx) => {
      const before = await lock(tx, limit)
      await tx.spendLimit.deleteMany({ where: { subjectId, period } })
      await recordLimit(tx, limit, { before, after: null })
      if (subjectId !== EVERYBODY) return
      if (period === 'month') await putBudget(tx)
      await emptySharedRoom(tx)
    })
  }

  function list(): Promise<StoredLimit[]> {
    return prisma.spendLimit.findMany({ orderBy: [{ setAt: 'desc' }, { subjectId: 'asc' }] })
  }

  async function ofSubject(subjectId: bigint | number): Promise<HeldLimit[]> {
    if (BigInt(subjectId) === EVERYBODY) return ofEverybody()
    // Who has spent nothing yet has no counters.
    const spenders = Prisma.sql`(
      SELECT subject.id, coalesce(reserved_micro_rub, 0) AS reserved_micro_rub,
        coalesce(day, ${calendar.today()}) AS day, coalesce(day_micro_rub, 0) AS day_micro_rub,
        coalesce(week_micro_rub, 0) AS week_micro_rub,
        coalesce(month_micro_rub, 0) AS month_micro_rub,
        coalesce(total_micro_rub, 0) AS total_micro_rub, unlimited_on
      FROM (VALUES (${subjectId}::bigint)) AS subject(id) LEFT JOIN bot.spender USING (id))`
    return prisma.$queryRaw<HeldLimit[]>`
      SELECT * FROM (${heldLimits(spenders, { calendar, adminIds })}) AS held ORDER BY period`
  }

  async function ofEverybody(): Promise<EverybodysLimit[]> {
    const last = await readLastFinishedDate(prisma)
    return prisma.$queryRaw<EverybodysLimit[]>`
      SELECT held.*, greatest(set_at, CASE held.period
          WHEN 'day' THEN ${calendar.beginOf('day')}
          WHEN 'week' THEN ${calendar.beginOf('week')}
          WHEN 'month' THEN ${calendar.beginOf('month')}
        END) AS "beganAt"
      FROM (${everybodysLimits(calendar, last)}) AS held
      JOIN bot.spend_limit ON subject_id = "subjectId" AND spend_limit.period = held.period
      ORDER BY held.period`
  }

  async function monthOfEverybody(): Promise<bigint | undefined> {
    const where = { subjectId_period: { subjectId: EVERYBODY, period: 'month' } } as const
    const set = await prisma.spendLimit.findUnique({ where, select: { amountMicroRub: true } })
    return set?.amountMicroRub ?? undefined
  }

  async function mayHold({ userId, chatId }: Spending): Promise<boolean> {
    const subjects = [
      userId,
      ALL_USERS,
      EVERYBODY,
      ...(chatId < 0 ? [BigInt(chatId), ALL_GROUPS] : []),
    ]
    const where = { subjectId: { in: subjects }, amountMicroRub: { not: null } }
    return (await prisma.spendLimit.findFirst({ where, select: { period: true } })) !== null
  }
}

export type Limits = ReturnType<typeof createLimits>

/** Holds the limit's row, if it is there, until the end of the transaction. @returns Its amount, as it is logged. */
async function lock(
  tx: Prisma.TransactionClient,
  { subjectId, period }: LimitOf,
): Promise<string | null> {
  const [held] = await tx.$queryRaw<{ amountMicroRub: bigint | null }[]>`
    SELECT amount_micro_rub AS "amountMicroRub" FROM bot.spend_limit
    WHERE subject_id = ${subjectId} AND period = ${period}::bot.limit_period FOR UPDATE`
  return held === undefined ? null : toLogged(held.amountMicroRub)
}

function recordLimit(
  tx: Prisma.TransactionClient,
  { subjectId, period, adminId }: ChangedLimit,
  values: { before: string | null; after: string | null },
): Promise<void> {
  const about = subjectId === ALL_USERS ? {} : { subjectId }
  return recordChange(tx, { adminId, what: `limit_${period}`, ...about, ...values })
}

const NONE = 'none'

function toLogged(amountMicroRub: bigint | null): string {
  return amountMicroRub === null ? NONE : String(amountMicroRub)
}

/**
 * Moves the limits of a group to the supergroup that it became; where that has one of its own, it stays.
 * Warnings and requests, which stand in the old chat, are deleted. Safe to repeat.
 */
export async function moveLimits(
  tx: Prisma.TransactionClient,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by, set_at)
    SELECT ${to}, period, amount_micro_rub, set_by, set_at FROM bot.spend_limit
    WHERE subject_id = ${from}
    ON CONFLICT DO NOTHING`
  await tx.spendLimit.deleteMany({ where: { subjectId: from } })
  await tx.limitWarning.deleteMany({ where: { subjectId: from } })
  await tx.limitRequest.deleteMany({ where: { OR: [{ subjectId: from }, { chatId: from }] } })
}
