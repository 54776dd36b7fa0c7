/**
 * Limits of users, groups and everybody together: set, read, and judged before the service is asked (docs/spend.md#limits).
 *
 * `reserve()` judges under locks of the subjects. Its caller writes the granted amount to `held_micro_rub` of its turn or
 * order in the same transaction; the amount counts until that row is charged or ends.
 * Invariant: no reservation takes the spent and held money above a limit. Only a charge above its reservation passes it.
 */
import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod, RequestDecision } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { recordChange } from '../change-log.ts'
import type { Calendar } from './calendar.ts'

/** The subject whose limits hold for every user, except admins, who has no limit of their own for a period. */
export const ALL_USERS = 0n
/** The same for groups. Telegram gives no group this id. */
export const ALL_GROUPS = -1n
/** The subject of the limit for everybody together. Telegram gives no group this id. */
export const EVERYBODY = -2n

/** The largest limit: a thousand million roubles. A larger one is a typing error. */
export const LIMIT_MICRO_RUB_MAX = 1_000_000_000_000_000n

const RUB = 1_000_000n
const PERIODS: readonly LimitPeriod[] = ['day', 'week', 'month', 'all']
/** The setter of the limit that BUDGET_RUB sets. */
const BY_SETTINGS = 0n
const NONE = 'none'

/** Added to ids, so that the keys differ from other advisory locks, which use plain ids. */
const SUBJECT_LOCKS = 1n << 60n
/** How long a process that freezes while it judges keeps the locks. */
const LOCKED_MS_MAX = 2_000

export const LIMIT_VERBS = ['half', 'double', 'refused'] as const
export type LimitVerb = (typeof LIMIT_VERBS)[number]

export interface LimitOf {
  /** A user's id, a group's, `ALL_USERS`, `ALL_GROUPS` or `EVERYBODY`. */
  subjectId: bigint
  period: LimitPeriod
}

export interface ChangedLimit extends LimitOf {
  adminId: number
  /** The stored amount that the admin saw, as the log of changes has it; null if none was stored. */
  seen?: string | null | undefined
}

export interface NewLimit extends ChangedLimit {
  /** An amount from 0 to `LIMIT_MICRO_RUB_MAX`; null exempts from the default. */
  amountMicroRub: bigint | null
}

export interface StoredLimit extends LimitOf {
  amountMicroRub: bigint | null
  setById: bigint
  setAt: Date
}

interface Holding extends Omit<StoredLimit, 'setById'> {
  isOwn: boolean
}

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
}

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

export interface Granted {
  amountMicroRub: bigint
  /** The limit that leaves no more. */
  boundBy?: LimitRefusal | undefined
}

type Tx = Prisma.TransactionClient
type Reader = Pick<PrismaClient, '$queryRaw' | 'spendLimit' | 'user'>

type SumsRow = Record<LimitPeriod | 'subjectId' | 'reservedMicroRub', bigint>

export interface LimitsContext {
  prisma: PrismaClient
  calendar: Calendar
  /** The admins of the settings; the others are found in the database. */
  adminIds: ReadonlySet<number>
  budgetMicroRub?: bigint | undefined
  onEverybodyReached?: (period: LimitPeriod) => void
}

export class Limits {
  readonly #context: LimitsContext

  constructor(context: LimitsContext) {
    this.#context = context
  }

  /**
   * Grants what limits leave of an amount, and locks them until the transaction ends.
   *
   * @throws {LimitReachedError} If they leave too little.
   */
  async reserve(tx: Tx, asking: Asking): Promise<Granted> {
    const holding = await this.#readHolding(tx, subjectsOf(asking))
    const limits = holding.filter(({ amountMicroRub }) => amountMicroRub !== null)
    if (limits.length === 0) return { amountMicroRub: asking.amountMicroRub }
    await lockSubjects(tx, new Set(limits.map(({ subjectId }) => subjectId)))
    const held = await this.#addSums(tx, limits, asking.except)
    try {
      return judge(held, asking)
    } catch (error) {
      const refusal = error instanceof LimitReachedError ? error.refusal : undefined
      if (refusal?.subjectId === EVERYBODY) this.#context.onEverybodyReached?.(refusal.period)
      throw error
    }
  }

  /** Reserves nothing. @throws {LimitReachedError} If the limits leave too little. */
  async check(asking: Asking): Promise<void> {
    judge(await this.ofSubjects(subjectsOf(asking)), asking)
  }

  /** The shortest period is first. */
  async ofSubjects(subjects: readonly bigint[]): Promise<HeldLimit[]> {
    const { prisma } = this.#context
    return this.#addSums(prisma, await this.#readHolding(prisma, subjects))
  }

  ofSubject(subjectId: bigint | number): Promise<HeldLimit[]> {
    return this.ofSubjects([BigInt(subjectId)])
  }

  /** A period without a limit has null. */
  async everyPeriodOf(subject: bigint | number): Promise<HeldLimit[]> {
    const { prisma } = this.#context
    const subjectId = BigInt(subject)
    const holding = await this.#readHolding(prisma, [subjectId])
    const none = { subjectId, amountMicroRub: null, isOwn: false, setAt: new Date(0) }
    const all = PERIODS.map(
      (period) => holding.find((limit) => limit.period === period) ?? { ...none, period },
    )
    return this.#addSums(prisma, all)
  }

  async monthOfEverybody(): Promise<bigint | undefined> {
    const month = await find(this.#context.prisma, { subjectId: EVERYBODY, period: 'month' })
    return month?.amountMicroRub ?? undefined
  }

  list(): Promise<StoredLimit[]> {
    const orderBy = [{ setAt: 'desc' }, { subjectId: 'asc' }] as const
    return this.#context.prisma.spendLimit.findMany({ orderBy: [...orderBy] })
  }

  set(limit: NewLimit): Promise<void> {
    return this.#context.prisma.$transaction((tx) => this.setIn(tx, limit))
  }

  async setIn(tx: Tx, limit: NewLimit): Promise<void> {
    const { amountMicroRub: amount } = limit
    if (amount !== null && (amount < 0n || amount > LIMIT_MICRO_RUB_MAX)) {
      throw new RangeError(`Cannot set limit: ${amount} is no amount of one`)
    }
    await change(tx, limit)
  }

  /** Removes a limit, so that the default holds, or for everybody in a month BUDGET_RUB. */
  clear(limit: ChangedLimit): Promise<void> {
    return this.#context.prisma.$transaction(async (tx) => {
      await change(tx, { ...limit, amountMicroRub: undefined })
      if (limit.subjectId === EVERYBODY && limit.period === 'month') await this.#putBudget(tx)
    })
  }

  /** Stores BUDGET_RUB of this start, unless an admin has set another limit. Safe to repeat. */
  storeBudget(): Promise<void> {
    return this.#context.prisma.$transaction((tx) => this.#putBudget(tx))
  }

  async #putBudget(tx: Tx): Promise<void> {
    const month = { subjectId: EVERYBODY, period: 'month' } as const
    const { budgetMicroRub: amountMicroRub } = this.#context
    await lockSubjects(tx, [EVERYBODY])
    const before = await find(tx, month)
    const isOfAdmin = before !== null && before.setById !== BY_SETTINGS
    if (isOfAdmin || before?.amountMicroRub === amountMicroRub) return
    await replace(tx, { ...month, amountMicroRub, setById: BY_SETTINGS })
  }

  /** In the order of their periods, without their sums. */
  async #readHolding(db: Reader, subjects: readonly bigint[]): Promise<Holding[]> {
    const where = { subjectId: { in: [...subjects, ALL_USERS, ALL_GROUPS] } }
    const stored = await db.spendLimit.findMany({ where })
    const holding: Holding[] = []
    for (const subjectId of subjects) {
      const own = stored.filter((limit) => limit.subjectId === subjectId)
      holding.push(...own.map((limit) => ({ ...limit, isOwn: limit.setById !== BY_SETTINGS })))
      if (subjectId === EVERYBODY) continue
      const defaultId = subjectId < 0n ? ALL_GROUPS : ALL_USERS
      const defaults = stored.filter(
        (limit) =>
          limit.subjectId === defaultId && own.every(({ period }) => period !== limit.period),
      )
      if (defaults.length === 0 || (await this.#isAdmin(db, subjectId))) continue
      holding.push(...defaults.map((limit) => ({ ...limit, subjectId, isOwn: false })))
    }
    const orderOf = ({ period }: Holding) => PERIODS.indexOf(period)
    return holding.toSorted((one, other) => orderOf(one) - orderOf(other))
  }

  async #isAdmin(db: Reader, id: bigint): Promise<boolean> {
    if (this.#context.adminIds.has(Number(id))) return true
    const select = { role: true, admission: true } as const
    const user = await db.user.findUnique({ where: { id }, select })
    return user?.role === 'admin' && user.admission !== 'blocked'
  }

  /** One statement reads all sums, so that a charge counts either as held or as spent, never as neither. */
  async #addSums(
    db: Reader,
    limits: readonly Holding[],
    except?: Asking['except'],
  ): Promise<HeldLimit[]> {
    if (limits.length === 0) return []
    const { calendar } = this.#context
    const subjects = [...new Set(limits.map(({ subjectId }) => subjectId))]
    // Without a limit of all time far fewer days are read.
    const days = limits.some(({ period }) => period === 'all')
      ? Prisma.sql`true`
      : Prisma.sql`day >= (SELECT least(${calendar.firstOf('week')}, ${calendar.firstOf('month')}))`
    const sums = subjects.map((subjectId) => sumsOf(subjectId, { calendar, days, except }))
    const rows = await db.$queryRaw<SumsRow[]>`${Prisma.join(sums, ' UNION ALL ')}`
    const ends = await calendar.readPeriods(db)
    return limits.flatMap(({ subjectId, period, amountMicroRub, isOwn, setAt }) => {
      const row = rows.find((sum) => sum.subjectId === subjectId)
      if (row === undefined) return []
      const { reservedMicroRub, [period]: spentMicroRub } = row
      const { beganAt, resetsAt } =
        period === 'all' ? { beganAt: setAt, resetsAt: null } : ends[period]
      const now = { spentMicroRub, reservedMicroRub, resetsAt }
      const since = beganAt > setAt ? beganAt : setAt
      return { subjectId, period, amountMicroRub, isOwn, ...now, beganAt: since }
    })
  }
}

function sumsOf(
  subjectId: bigint,
  { calendar, days, except }: Pick<Asking, 'except'> & { calendar: Calendar; days: Prisma.Sql },
): Prisma.Sql {
  const isAll = subjectId === EVERYBODY
  const isTheirs = isAll
    ? Prisma.sql`true`
    : Prisma.sql`(user_id = ${subjectId} OR chat_id = ${subjectId})`
  // The service keeps the money that is written off.
  const spent = Prisma.raw(isAll ? 'amount_micro_rub + written_off_micro_rub' : 'amount_micro_rub')
  // As a query of its own the date is found once, not for each row.
  const spentIn = (period: 'day' | 'week' | 'month') =>
    Prisma.sql`coalesce(sum(${spent}) FILTER (WHERE day >= (SELECT ${calendar.firstOf(period)})), 0)::bigint`
  const heldBy = (table: string, exceptId = 0n) => Prisma.sql`(
    SELECT coalesce(sum(held_micro_rub), 0)::bigint FROM ${Prisma.raw(table)}
    WHERE held_micro_rub IS NOT NULL AND ${isTheirs} AND id <> ${exceptId})`
  return Prisma.sql`
    SELECT ${subjectId}::bigint AS "subjectId",
      ${heldBy('bot.turn', except?.turnId)}
        + ${heldBy('bot."order"', except?.orderId)} AS "reservedMicroRub",
      ${spentIn('day')} AS day, ${spentIn('week')} AS week, ${spentIn('month')} AS month, coalesce(sum(${spent}), 0)::bigint AS "all"
    FROM bot.spend_day WHERE ${isTheirs} AND ${days}`
}

/**
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
  const { amountMicroRub, spentMicroRub, reservedMicroRub } = limit
  if (amountMicroRub === null) return undefined
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

export function subjectsOf({ userId, chatId }: Pick<Asking, 'userId' | 'chatId'>): bigint[] {
  const ids = [EVERYBODY, BigInt(userId), ...(chatId < 0 ? [BigInt(chatId)] : [])]
  return [...new Set(ids)]
}

/**
 * Locks subjects until the transaction ends, so that their limits judge one request at a time.
 *
 * All writers lock in the same order: turns by id, orders by id, subjects by id, charges, sums of days.
 */
async function lockSubjects(tx: Tx, ids: Iterable<bigint>): Promise<void> {
  const keys = [...ids].toSorted(compare).map((id) => SUBJECT_LOCKS + id)
  await tx.$executeRaw`
    SELECT set_config('idle_in_transaction_session_timeout', ${String(LOCKED_MS_MAX)}, true),
      pg_advisory_xact_lock(key) FROM unnest(${keys}::bigint[]) AS subject(key)`
}

function find(db: Pick<Tx, 'spendLimit'>, { subjectId, period }: LimitOf) {
  return db.spendLimit.findUnique({ where: { subjectId_period: { subjectId, period } } })
}

/** Sets a limit, or removes it without an amount, and records the change. */
async function change(
  tx: Tx,
  { adminId, seen, ...limit }: ChangedLimit & { amountMicroRub: bigint | null | undefined },
): Promise<void> {
  const { subjectId, period } = limit
  await lockSubjects(tx, [subjectId])
  const before = toLogged((await find(tx, limit))?.amountMicroRub)
  await replace(tx, { ...limit, setById: BigInt(adminId) })
  const about = subjectId === ALL_USERS ? {} : { subjectId }
  const values = { before, after: toLogged(limit.amountMicroRub) }
  await recordChange(tx, { adminId, what: `limit_${period}`, ...about, ...values, seen })
}

async function replace(
  tx: Tx,
  {
    amountMicroRub,
    ...limit
  }: Omit<StoredLimit, 'setAt' | 'amountMicroRub'> & { amountMicroRub: bigint | null | undefined },
): Promise<void> {
  const { subjectId, period } = limit
  await tx.spendLimit.deleteMany({ where: { subjectId, period } })
  if (amountMicroRub === undefined) return
  await tx.spendLimit.create({ data: { ...limit, amountMicroRub, setAt: await readTime(tx) } })
}

function toLogged(amountMicroRub: bigint | null | undefined): string | null {
  return amountMicroRub === undefined ? null : (amountMicroRub?.toString() ?? NONE)
}

/** A limit of the supergroup stays. Requests, whose messages are in the old chat, are deleted. Safe to repeat. */
export async function moveLimits(
  tx: Tx,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const limits = await tx.spendLimit.findMany({ where: { subjectId: from } })
  const data = limits.map((limit) => ({ ...limit, subjectId: BigInt(to) }))
  await tx.spendLimit.createMany({ data, skipDuplicates: true })
  await tx.spendLimit.deleteMany({ where: { subjectId: from } })
  await tx.request.deleteMany({ where: { OR: [{ subjectId: from }, { chatId: from }] } })
}

/** Whole roubles; null if not raised. A limit below the spent money is raised from there, so that it leaves room. */
export function raisedBy(
  verb: RequestDecision,
  { amountMicroRub, spentMicroRub }: { amountMicroRub: bigint; spentMicroRub: bigint },
): bigint | null {
  if (verb !== 'half' && verb !== 'double') return null
  const fromMicroRub = spentMicroRub > amountMicroRub ? spentMicroRub : amountMicroRub
  const raised = verb === 'half' ? (fromMicroRub * 3n + 1n) / 2n : fromMicroRub * 2n
  const rounded = ((raised + RUB - 1n) / RUB) * RUB
  return rounded < LIMIT_MICRO_RUB_MAX ? rounded : LIMIT_MICRO_RUB_MAX
}

/** A refusal in JSON, which has no integers of this size. */
type StoredRefusal = Record<Exclude<keyof LimitRefusal, 'period' | 'resetsAt'>, string> & {
  period: LimitPeriod
  resetsAt: string | null
}

export function toStoredRefusal(refusal: LimitRefusal): string {
  return JSON.stringify(refusal, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

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
