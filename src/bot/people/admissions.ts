import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Admission } from '../../platform/database/generated/enums.ts'
import { recordChange } from '../change-log.ts'
import type { Access } from './access.ts'
import { lockUser, USER_FIELDS } from './users.ts'

/** How long a refused user waits before they may ask again. */
export const ASK_AGAIN_MS = 86_400_000

export type AdmissionDecision = Exclude<Admission, 'requested'>

/** `unchanged`: decided so before, or no request is open. `admin`: an admin cannot be blocked. `unknown`: who never wrote. */
export type DecisionOutcome = 'decided' | 'unchanged' | 'admin' | 'unknown'

const FIELDS = {
  ...USER_FIELDS,
  admissionById: true,
  admissionToldAt: true,
} as const

/** The statements that a request for access is made of. Of several that race, one takes effect. */
export function createAdmissions(prisma: PrismaClient, { roleOf }: Pick<Access, 'roleOf'>) {
  return { read, ask, decide, set, noteTold: recordNotified, list }

  function read(userId: bigint | number) {
    return prisma.user.findUnique({ where: { id: userId }, select: FIELDS })
  }

  async function ask(userId: number, now: Date): Promise<boolean> {
    const refusedUntil = new Date(now.getTime() - ASK_AGAIN_MS)
    return prisma.$transaction(async (tx) => {
      const { count } = await tx.user.updateMany({
        where: {
          id: userId,
          OR: [{ admission: null }, { admission: 'refused', admissionAt: { lte: refusedUntil } }],
        },
        data: { ...UNDECIDED, admission: 'requested', admissionAt: now },
      })
      if (count === 1) await tx.requestCopy.deleteMany({ where: { request: requestName(userId) } })
      return count === 1
    })
  }

  function decide(given: NewAdmissionDecision, now: Date): Promise<DecisionOutcome> {
    return write((admission) => admission === 'requested', given, now)
  }

  function set(given: NewAdmissionDecision, now: Date): Promise<DecisionOutcome> {
    return write((admission) => admission !== given.decision, given, now)
  }

  function write(
    isOpen: (admission: Admission | null) => boolean,
    { userId, decision, adminId, seen }: NewAdmissionDecision,
    now: Date,
  ): Promise<DecisionOutcome> {
    return prisma.$transaction(async (tx) => {
      await lockUser(tx, userId)
      const user = await tx.user.findUnique({ where: { id: userId }, select: USER_FIELDS })
      if (user === null) return 'unknown'
      if (!isOpen(user.admission)) return 'unchanged'
      const isBlocked = decision === 'blocked'
      if (isBlocked && roleOf(user) === 'admin') return 'admin'
      const admitted = { admission: decision, admissionById: adminId, admissionAt: now }
      const data = { ...UNDECIDED, ...admitted, ...(isBlocked && { role: null }) }
      await tx.user.update({ where: { id: userId }, data })
      const change = { adminId, subjectId: userId }
      const { admission: before, role } = user
      await recordChange(tx, { ...change, what: 'access', before, after: decision, seen })
      if (isBlocked) await recordChange(tx, { ...change, what: 'role', before: role, after: null })
      return 'decided'
    })
  }

  async function recordNotified(userId: bigint, now: Date): Promise<void> {
    await prisma.user.update({ where: { id: userId }, data: { admissionToldAt: now } })
  }

  function list({ without, listed, take }: ListQuery) {
    return prisma.user.findMany({
      where: {
        id: { gt: 0, notIn: without.map(BigInt) },
        ...(listed !== undefined && {
          OR: [
            { admission: { not: null } },
            { role: { not: null } },
            { id: { in: listed.map(BigInt) } },
          ],
        }),
      },
      orderBy: [{ admissionAt: { sort: 'desc', nulls: 'last' } }, { id: 'asc' }],
      select: USER_FIELDS,
      take,
    })
  }
}

/** Names a request for access, for its copies. */
export function requestName(userId: bigint | number): string {
  return `access:${userId}`
}

const UNDECIDED = { admissionById: null, admissionToldAt: null }

export interface NewAdmissionDecision {
  userId: number
  decision: AdmissionDecision
  adminId: number
  /** The decision that the admin saw; null if there was none. */
  seen?: Admission | null | undefined
}

export interface ListQuery {
  without: readonly number[]
  /** Besides users whom a decision concerns, and who have a role; undefined where everybody is welcome: then all are listed. */
  listed: readonly number[] | undefined
  take: number
}

export type Admissions = ReturnType<typeof createAdmissions>
export type Applicant = NonNullable<Awaited<ReturnType<Admissions['read']>>>
