/**
 * The limits that hold for users, groups and everybody together, and the money that counts against them now.
 *
 * In: limits, sums of days, held amounts of open turns and orders. Out: `HeldLimit`s, and a judgement about an amount.
 * Invariant: one statement reads all sums, so that a charge counts either as held or as spent, never as neither.
 */
import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import type { Calendar, Period } from './calendar.ts'

/** The subject whose limits hold for every user, except admins, who has no limit of their own for a period. */
export const ALL_USERS = 0n
/** The same for groups. Telegram gives no group this id. */
export const ALL_GROUPS = -1n
/** The subject of the limit for everybody together. Telegram gives no group this id. */
export const EVERYBODY = -2n

const PERIODS: readonly LimitPeriod[] = ['day', 'week', 'month', 'all']

/** Added to ids, so that the keys differ from other advisory locks, which use plain ids. */
const SUBJECT_LOCKS = 1n << 60n
/** How long a process that freezes while it judges keeps the locks. */
const LOCKED_MS_MAX = 2_000

/** A limit of a subject for a period. */
export interface LimitOf {
  /** A user's id, a group's, `ALL_USERS`, `ALL_GROUPS` or `EVERYBODY`. */
  subjectId: bigint
  period: LimitPeriod
}

/** A limit that holds for a subject, and the money that counts against it now. */
export interface HeldLimit extends LimitOf {
  /** Null: no limit, even if there is a default. */
  amountMicroRub: bigint | null
  isOwn: boolean
  /** Below zero if more was taken back in the period than charged. For everybody it includes write-offs. */
  spentMicroRub: bigint
  reservedMicroRub: bigint
  /** When the period began, or the limit was set in it. */
  beganAt: Date
  resetsAt: Date | null
  /** True if admins have lifted all limits of the subject until midnight. */
  isLifted: boolean
}

/** The sums that count against the limits of a subject, whether there are any or not. */
export interface SpentNow {
  subjectId: bigint
  spentMicroRub: Readonly<Record<LimitPeriod, bigint>>
  reservedMicroRub: bigint
  isLifted: boolean
  periods: Awaited<ReturnType<Calendar['readPeriods']>>
}

/** The limit that leaves no room for a request, at that moment. */
export interface LimitRefusal extends LimitOf {
  limitMicroRub: bigint
  spentMicroRub: bigint
  reservedMicroRub: bigint
  /** The highest cost that was expected; 0 if it is not known. */
  neededMicroRub: bigint
  resetsAt: Date | null
}

/** A limit leaves no room: the service was not asked, and nothing is held. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError'
  readonly code = 'limit_reached'
  readonly refusal: LimitRefusal

  constructor(refusal: LimitRefusal) {
    super(`Cannot ask the service: the limit of ${refusal.subjectId} leaves no room`)
    this.refusal = refusal
  }
}

/** A turn or an order that is about to cost money. */
export interface Asking {
  userId: bigint | number
  chatId: bigint | number
  /** The highest cost that is expected; 0 if it is not known: then it needs some room. */
  amountMicroRub: bigint
  /** The least amount that is worth asking for. By default all. */
  leastMicroRub?: bigint | undefined
  /** The row that asks: it does not count against itself. */
  except?: { turnId?: bigint; orderId?: bigint } | undefined
}

/** The amount that a turn or an order may cost, and the limit that leaves no more. */
export interface Granted {
  amountMicroRub: bigint
  boundBy?: LimitRefusal | undefined
}

type Reader = Pick<PrismaClient, '$queryRaw' | 'spendLimit' | 'user'>

export interface LimitFacts {
  calendar: Calendar
  /** The admins of the settings; the others are found in the database. */
  adminIds: ReadonlySet<number>
}

/**
 * Decides from the limits that hold how much of an amount is granted.
 *
 * If several limits refuse it, the refusal names the limit that lasts longest.
 *
 * @throws {LimitReachedError} If less than the least amount, or nothing, is left.
 */
export function judge(
  held: readonly HeldLimit[],
  {
    amountMicroRub,
    leastMicroRub = amountMicroRub,
  }: Pick<Asking, 'amountMicroRub' | 'leastMicroRub'>,
): Granted {
  const standing = held.flatMap((limit) => {
    const left = leftOf(limit)
    return left === undefined ? [] : [{ limit, left }]
  })
  const lacking = (needed: bigint) =>
    standing.filter(({ left }) => left < (needed > 0n ? needed : 1n)).toSorted(byReset)
  const [refusing] = lacking(leastMicroRub)
  if (refusing !== undefined) throw new LimitReachedError(toRefusal(refusing.limit, leastMicroRub))
  const [binding] = lacking(amountMicroRub).toSorted((one, other) => compare(one.left, other.left))
  if (binding === undefined) return { amountMicroRub }
  return { amountMicroRub: binding.left, boundBy: toRefusal(binding.limit, amountMicroRub) }
}

/** Returns what a limit leaves; undefined if it limits nothing now. */
export function leftOf(limit: HeldLimit): bigint | undefined {
  const { amountMicroRub, spentMicroRub, reservedMicroRub, isLifted } = limit
  if (isLifted || amountMicroRub === null) return undefined
  return amountMicroRub - spentMicroRub - reservedMicroRub
}

function toRefusal(limit: HeldLimit, neededMicroRub: bigint): LimitRefusal {
  const { subjectId, period, amountMicroRub, spentMicroRub, reservedMicroRub, resetsAt } = limit
  const sums = { limitMicroRub: amountMicroRub ?? 0n, spentMicroRub, reservedMicroRub }
  return { subjectId, period, ...sums, neededMicroRub, resetsAt }
}

function byReset({ limit: one }: { limit: HeldLimit }, { limit: other }: { limit: HeldLimit }) {
  const time = ({ resetsAt }: HeldLimit) => resetsAt?.getTime() ?? Number.MAX_SAFE_INTEGER
  return time(other) - time(one) || compare(other.subjectId, one.subjectId)
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other)
}

/** Lists the subjects whose limits a request counts against, in the order of their locks. */
export function subjectsOf({ userId, chatId }: Pick<Asking, 'userId' | 'chatId'>): bigint[] {
  const ids = [EVERYBODY, BigInt(userId), ...(chatId < 0 ? [BigInt(chatId)] : [])]
  return [...new Set(ids)].toSorted(compare)
}

/**
 * Locks subjects until the transaction ends, so that one request at a time is judged against their limits.
 *
 * All writers lock in the same order: turns by id, orders by id, subjects by id, charges, sums of days.
 */
export async function lockSubjects(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  ids: readonly bigint[],
): Promise<void> {
  const keys = ids.toSorted(compare).map((id) => SUBJECT_LOCKS + id)
  await tx.$executeRaw`
    SELECT set_config('idle_in_transaction_session_timeout', ${String(LOCKED_MS_MAX)}, true),
      pg_advisory_xact_lock(key) FROM unnest(${keys}::bigint[]) AS subject(key)`
}

/** Reads the limits that hold for subjects, in the order of their periods, without their sums. */
export async function readLimits(
  prisma: Reader,
  subjects: readonly bigint[],
  { adminIds }: Pick<LimitFacts, 'adminIds'>,
) {
  const where = { subjectId: { in: [...subjects, ALL_USERS, ALL_GROUPS] } }
  const stored = await prisma.spendLimit.findMany({ where, orderBy: { period: 'asc' } })
  const holding: ((typeof stored)[number] & { isOwn: boolean })[] = []
  for (const subjectId of subjects) {
    const own = stored.filter((limit) => limit.subjectId === subjectId)
    // BUDGET_RUB sets the limit for everybody by 0.
    holding.push(...own.map((limit) => ({ ...limit, isOwn: limit.setById !== 0n })))
    const defaults = stored.filter(
      (limit) =>
        subjectId !== EVERYBODY &&
        limit.subjectId === (subjectId < 0n ? ALL_GROUPS : ALL_USERS) &&
        own.every(({ period }) => period !== limit.period),
    )
    if (defaults.length === 0 || (await isAdmin(prisma, subjectId, adminIds))) continue
    holding.push(...defaults.map((limit) => ({ ...limit, subjectId, isOwn: false })))
  }
  return holding.toSorted(
    (one, other) => PERIODS.indexOf(one.period) - PERIODS.indexOf(other.period),
  )
}

async function isAdmin(prisma: Reader, id: bigint, adminIds: ReadonlySet<number>) {
  if (adminIds.has(Number(id))) return true
  const user = await prisma.user.findUnique({
    where: { id },
    select: { role: true, admission: true },
  })
  return user?.role === 'admin' && user.admission !== 'blocked'
}

/** Adds to limits the sums that count against them, and their periods. */
export async function readHeld(
  prisma: Reader,
  limits: Awaited<ReturnType<typeof readLimits>>,
  { calendar, except }: Pick<LimitFacts, 'calendar'> & Pick<Asking, 'except'>,
): Promise<HeldLimit[]> {
  if (limits.length === 0) return []
  const subjects = [...new Set(limits.map(({ subjectId }) => subjectId))]
  const isOfAllTime = limits.some(({ period }) => period === 'all')
  const sums = await readSpentNow(prisma, subjects, { calendar, except, isOfAllTime })
  return limits.flatMap(({ subjectId, period, amountMicroRub, isOwn, setAt }) => {
    const now = sums.find((sum) => sum.subjectId === subjectId)
    if (now === undefined) return []
    const { beganAt, resetsAt } =
      period === 'all' ? { beganAt: setAt, resetsAt: null } : now.periods[period]
    return {
      subjectId,
      period,
      amountMicroRub,
      isOwn,
      spentMicroRub: now.spentMicroRub[period],
      reservedMicroRub: now.reservedMicroRub,
      beganAt: beganAt > setAt ? beganAt : setAt,
      resetsAt,
      isLifted: now.isLifted,
    }
  })
}

type SpentRow = Record<LimitPeriod | 'subjectId' | 'reservedMicroRub', bigint> & {
  isLifted: boolean
}

/**
 * Reads the sums that count against the limits of subjects.
 *
 * @param isOfAllTime False if no limit of all time holds: then far fewer days are read.
 */
export async function readSpentNow(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  subjects: readonly bigint[],
  { isOfAllTime = true, ...facts }: SumsAsked & { isOfAllTime?: boolean },
): Promise<SpentNow[]> {
  const { calendar } = facts
  const days = isOfAllTime
    ? Prisma.sql`true`
    : Prisma.sql`day >= (SELECT least(${calendar.firstOf('week')}, ${calendar.firstOf('month')}))`
  const sums = subjects.map((subjectId) => sumsOf(subjectId, days, facts))
  const rows = await prisma.$queryRaw<SpentRow[]>`${Prisma.join(sums, ' UNION ALL ')}`
  const periods = await calendar.readPeriods(prisma)
  return rows.map(({ subjectId, reservedMicroRub, isLifted, ...spentMicroRub }) => {
    return { subjectId, spentMicroRub, reservedMicroRub, isLifted, periods }
  })
}

const NO_ID = 0n

type SumsAsked = Pick<LimitFacts, 'calendar'> & Pick<Asking, 'except'>

function sumsOf(subjectId: bigint, days: Prisma.Sql, { calendar, except = {} }: SumsAsked) {
  const isAll = subjectId === EVERYBODY
  const isTheirs = isAll
    ? Prisma.sql`true`
    : Prisma.sql`(user_id = ${subjectId} OR chat_id = ${subjectId})`
  // The service keeps the money that is written off.
  const spent = Prisma.raw(isAll ? 'amount_micro_rub + written_off_micro_rub' : 'amount_micro_rub')
  // As a query of its own the date is found once, not for each row.
  const spentIn = (period: Period) =>
    Prisma.sql`coalesce(sum(${spent}) FILTER (WHERE day >= (SELECT ${calendar.firstOf(period)})), 0)::bigint`
  const heldBy = (table: string, id: bigint = NO_ID) => Prisma.sql`(
    SELECT coalesce(sum(held_micro_rub), 0)::bigint FROM ${Prisma.raw(table)}
    WHERE held_micro_rub IS NOT NULL AND ${isTheirs} AND id <> ${id})`
  return Prisma.sql`
    SELECT ${subjectId}::bigint AS "subjectId",
      ${heldBy('bot.turn', except.turnId)}
        + ${heldBy('bot."order"', except.orderId)} AS "reservedMicroRub",
      EXISTS (SELECT FROM bot.setting WHERE name = ${liftOf(subjectId)} AND value = ${calendar.today()}::text)
        AS "isLifted",
      ${spentIn('day')} AS day, ${spentIn('week')} AS week, ${spentIn('month')} AS month, coalesce(sum(${spent}), 0)::bigint AS "all"
    FROM bot.spend_day WHERE ${isTheirs} AND ${days}`
}

/** The setting that names the day on which no limit of a subject holds. */
export function liftOf(subjectId: bigint): string {
  return `limits_lifted ${subjectId}`
}

/** A refusal in JSON, which has no integers of this size. */
type StoredRefusal = Record<Exclude<keyof LimitRefusal, 'period' | 'resetsAt'>, string> & {
  period: LimitPeriod
  resetsAt: string | null
}

/** Writes a refusal as a turn stores it. */
export function toStoredRefusal(refusal: LimitRefusal): string {
  return JSON.stringify(refusal, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** Reads a stored refusal; null if there is none. */
export function readStoredRefusal(json: unknown): LimitRefusal | null {
  if (json === null) return null
  const { period, resetsAt, ...stored } = json as StoredRefusal
  return {
    period,
    resetsAt: resetsAt === null ? null : new Date(resetsAt),
    subjectId: BigInt(stored.subjectId),
    limitMicroRub: BigInt(stored.limitMicroRub),
    spentMicroRub: BigInt(stored.spentMicroRub),
    reservedMicroRub: BigInt(stored.reservedMicroRub),
    neededMicroRub: BigInt(stored.neededMicroRub),
  }
}
