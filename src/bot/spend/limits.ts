/**
 * Limits of users, groups and everybody together: set, read, and judged before the service is asked (docs/spend.md#limits).
 *
 * `reserve()` judges under locks of the subjects. Its caller writes the granted amount to `held_micro_rub` of its turn or
 * order in the same transaction; the amount counts until that row is charged or ends.
 * Invariant: no reservation takes the spent and held money above a limit. Only a charge above its reservation passes it.
 */
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import { recordChange } from '../change-log.ts'
import {
  ALL_USERS,
  type Asking,
  EVERYBODY,
  type Granted,
  type HeldLimit,
  judge,
  type LimitFacts,
  type LimitOf,
  LimitReachedError,
  liftOf,
  lockSubjects,
  readHeld,
  readLimits,
  readSpentNow,
  type SpentNow,
  subjectsOf,
} from './held-limits.ts'

/** The largest limit: a thousand million roubles. A larger one is a typing error. */
export const LIMIT_MICRO_RUB_MAX = 1_000_000_000_000_000n

const RUB = 1_000_000n
const RAISES = { half: [3n, 2n], double: [2n, 1n] } as const

/** The decisions of admins: raise a limit by half or to twice, lift it until midnight, or refuse. */
export const LIMIT_VERBS = ['half', 'double', 'lift', 'refuse'] as const
export type LimitVerb = (typeof LIMIT_VERBS)[number]

/** The setter of the limit that BUDGET_RUB sets. */
const BY_SETTINGS = 0n

const NONE = 'none'

/** A limit and the admin who changes it. */
export interface ChangedLimit extends LimitOf {
  adminId: number
}

export interface NewLimit extends ChangedLimit {
  /** An amount from 0 to `LIMIT_MICRO_RUB_MAX`; null exempts from the default. */
  amountMicroRub: bigint | null
}

/** A limit as it was set, for a subject or as a default. */
export interface StoredLimit extends LimitOf {
  amountMicroRub: bigint | null
  setById: bigint
  setAt: Date
}

export interface LimitsContext extends LimitFacts {
  prisma: PrismaClient
  budgetMicroRub?: bigint | undefined
  onEverybodyReached?: (period: LimitPeriod) => void
}

type Tx = Prisma.TransactionClient

/** Sets, reads and judges limits. */
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
    const holding = await readLimits(tx, subjectsOf(asking), this.#context)
    const limits = holding.filter(({ amountMicroRub }) => amountMicroRub !== null)
    if (limits.length === 0) return { amountMicroRub: asking.amountMicroRub }
    await lockSubjects(tx, [...new Set(limits.map(({ subjectId }) => subjectId))])
    const held = await readHeld(tx, limits, { ...this.#context, except: asking.except })
    try {
      return judge(held, asking)
    } catch (error) {
      const refusal = error instanceof LimitReachedError ? error.refusal : undefined
      if (refusal?.subjectId === EVERYBODY) this.#context.onEverybodyReached?.(refusal.period)
      throw error
    }
  }

  /** Lists the limits that hold for a subject, with what counts against them now. */
  async ofSubject(subjectId: bigint | number): Promise<HeldLimit[]> {
    const { prisma } = this.#context
    const limits = await readLimits(prisma, [BigInt(subjectId)], this.#context)
    return readHeld(prisma, limits, this.#context)
  }

  /** Reads what counts against the limits of a subject in each period, whether there are any or not. */
  async spentNow(subjectId: bigint | number): Promise<SpentNow> {
    const { prisma, calendar } = this.#context
    const [now] = await readSpentNow(prisma, [BigInt(subjectId)], { calendar })
    if (now === undefined) throw new TypeError('Cannot read what was spent: a sum without a row')
    return now
  }

  /** Returns the limit for everybody in a month, if there is one. */
  async monthOfEverybody(): Promise<bigint | undefined> {
    const month = await this.#find({ subjectId: EVERYBODY, period: 'month' })
    return month?.amountMicroRub ?? undefined
  }

  /** Checks whether a limit may hold for a request, from the limits alone. */
  async mayHold(spending: Pick<Asking, 'userId' | 'chatId'>): Promise<boolean> {
    const limits = await readLimits(this.#context.prisma, subjectsOf(spending), this.#context)
    return limits.some(({ amountMicroRub }) => amountMicroRub !== null)
  }

  list(): Promise<StoredLimit[]> {
    const orderBy = [{ setAt: 'desc' }, { subjectId: 'asc' }] as const
    return this.#context.prisma.spendLimit.findMany({ orderBy: [...orderBy] })
  }

  /** Stores BUDGET_RUB of this start, unless an admin has set another limit. Safe to repeat. */
  storeBudget(): Promise<void> {
    return this.#context.prisma.$transaction((tx) => this.#putBudget(tx))
  }

  async #putBudget(tx: Tx): Promise<void> {
    const { budgetMicroRub: amountMicroRub } = this.#context
    if (amountMicroRub === undefined) {
      const where = { subjectId: EVERYBODY, period: 'month', setById: BY_SETTINGS } as const
      await tx.spendLimit.deleteMany({ where })
      return
    }
    await tx.$executeRaw`
      INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by, set_at)
      VALUES (${EVERYBODY}, 'month', ${amountMicroRub}, ${BY_SETTINGS}, now())
      ON CONFLICT (subject_id, period) DO UPDATE
        SET amount_micro_rub = excluded.amount_micro_rub, set_at = excluded.set_at
        WHERE spend_limit.set_by = ${BY_SETTINGS}
          AND spend_limit.amount_micro_rub IS DISTINCT FROM excluded.amount_micro_rub`
  }

  set(limit: NewLimit): Promise<void> {
    return this.#context.prisma.$transaction((tx) => this.setIn(tx, limit))
  }

  async setIn(tx: Tx, limit: NewLimit): Promise<void> {
    const { subjectId, period, amountMicroRub, adminId } = limit
    if (amountMicroRub !== null && (amountMicroRub < 0n || amountMicroRub > LIMIT_MICRO_RUB_MAX)) {
      throw new RangeError(`Cannot set limit: ${amountMicroRub} is no amount of one`)
    }
    const before = await this.#lock(tx, limit)
    await tx.$executeRaw`
      INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by, set_at)
      VALUES (${subjectId}, ${period}::bot.limit_period, ${amountMicroRub}, ${adminId}, now())
      ON CONFLICT (subject_id, period) DO UPDATE SET amount_micro_rub = excluded.amount_micro_rub,
        set_by = excluded.set_by, set_at = excluded.set_at`
    await recordLimit(tx, limit, { before, after: amountMicroRub?.toString() ?? NONE })
  }

  /** Raises a limit to an amount, unless it is higher or was removed. @returns The limit after that. */
  raise({ amountMicroRub, ...limit }: ChangedLimit & { amountMicroRub: bigint }) {
    return this.#context.prisma.$transaction(async (tx) => {
      const before = await this.#lock(tx, limit)
      if (before === null || before === NONE) return null
      if (BigInt(before) >= amountMicroRub) return BigInt(before)
      await this.setIn(tx, { ...limit, amountMicroRub })
      return amountMicroRub
    })
  }

  /** Lifts all limits of a subject until midnight. */
  async liftIn(tx: Tx, subjectId: bigint): Promise<void> {
    await tx.$executeRaw`
      INSERT INTO bot.setting (name, value)
      VALUES (${liftOf(subjectId)}, ${this.#context.calendar.today()}::text)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`
  }

  clear(limit: ChangedLimit): Promise<void> {
    const { subjectId, period } = limit
    return this.#context.prisma.$transaction(async (tx) => {
      const before = await this.#lock(tx, limit)
      await tx.spendLimit.deleteMany({ where: { subjectId, period } })
      await recordLimit(tx, limit, { before, after: null })
      if (subjectId === EVERYBODY && period === 'month') await this.#putBudget(tx)
    })
  }

  /** Locks the limit's row until the transaction ends. @returns Its amount as the log of changes has it. */
  async #lock(tx: Tx, { subjectId, period }: LimitOf): Promise<string | null> {
    await tx.$executeRaw`
      SELECT FROM bot.spend_limit
      WHERE subject_id = ${subjectId} AND period = ${period}::bot.limit_period FOR UPDATE`
    const limit = await this.#find({ subjectId, period }, tx)
    return limit === null ? null : (limit.amountMicroRub?.toString() ?? NONE)
  }

  #find({ subjectId, period }: LimitOf, tx: Pick<Tx, 'spendLimit'> = this.#context.prisma) {
    const where = { subjectId_period: { subjectId, period } }
    return tx.spendLimit.findUnique({ where, select: { amountMicroRub: true } })
  }
}

function recordLimit(
  tx: Tx,
  { subjectId, period, adminId }: ChangedLimit,
  values: { before: string | null; after: string | null },
): Promise<void> {
  const about = subjectId === ALL_USERS ? {} : { subjectId }
  return recordChange(tx, { adminId, what: `limit_${period}`, ...about, ...values })
}

/**
 * Moves the limits of a group to the supergroup that it became; a limit that the supergroup has stays.
 * Warnings and requests, whose messages are in the old chat, are deleted. Safe to repeat.
 */
export async function moveLimits(
  tx: Tx,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const limits = await tx.spendLimit.findMany({ where: { subjectId: from } })
  const data = limits.map((limit) => ({ ...limit, subjectId: BigInt(to) }))
  await tx.spendLimit.createMany({ data, skipDuplicates: true })
  await tx.spendLimit.deleteMany({ where: { subjectId: from } })
  await tx.limitWarning.deleteMany({ where: { subjectId: from } })
  await tx.limitRequest.deleteMany({ where: { OR: [{ subjectId: from }, { chatId: from }] } })
}

/**
 * Returns the limit after a decision, in whole roubles; null if it is not raised. A limit below the spent money is
 * raised from there: otherwise it would leave no room.
 */
export function raisedBy(
  verb: LimitVerb,
  { amountMicroRub, spentMicroRub }: { amountMicroRub: bigint; spentMicroRub: bigint },
): bigint | null {
  if (verb !== 'half' && verb !== 'double') return null
  const [times, over] = RAISES[verb]
  const fromMicroRub = spentMicroRub > amountMicroRub ? spentMicroRub : amountMicroRub
  const roubles = (fromMicroRub * times + over * RUB - 1n) / (over * RUB)
  const raised = roubles * RUB
  return raised < LIMIT_MICRO_RUB_MAX ? raised : LIMIT_MICRO_RUB_MAX
}
