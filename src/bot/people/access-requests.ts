import type { Prisma } from '../../platform/database/generated/client.ts'
import type { Admission } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { recordChange } from '../change-log.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import type { People } from './people.ts'
import { Requests, type StoredRequest } from './requests.ts'
import { type NewRole, storeRole } from './roles.ts'
import { type KnownUser, languageOf, lockUser, nameUser, USER_FIELDS } from './users.ts'

export const ACCESS_DECISIONS = ['allowed', 'refused', 'blocked'] as const
export type AccessDecision = (typeof ACCESS_DECISIONS)[number]

export interface NewAccess {
  userId: number
  decision: AccessDecision
  adminId: number
  /** The decision that the admin saw; null if there was none. */
  seen?: Admission | null | undefined
}

/** `unchanged`: the same decision, or no open request. `admin`: cannot be blocked. `unknown`: never wrote to us. */
export type AccessOutcome = 'decided' | 'unchanged' | 'admin' | 'unknown'

type Tx = Prisma.TransactionClient

export class AccessRequests {
  readonly #people: People
  readonly #requests: Requests

  constructor(people: People) {
    const { texts, onBlocked } = people
    this.#people = people
    this.#requests = new Requests(people, {
      describe: ({ user }, languageCode) =>
        texts.t(languageCode, 'access-request', {
          name: nameUser(user),
          id: String(user.id),
          language: user.languageCode ?? '–',
        }),
      buttons: ({ subjectId }, languageCode) => [
        ACCESS_DECISIONS.map((decision) => ({
          text: texts.t(languageCode, 'access-decide', { decision }),
          callback_data: `access:${decision}:${subjectId}`,
        })),
      ],
      onAsked: (tx, { userId: id }) =>
        tx.user.update({ where: { id }, data: { admission: 'requested' } }),
      // Blocked users receive no messages, not even this one.
      answer: (request) =>
        request.decision === 'blocked' ? onBlocked(Number(request.userId)) : this.#notify(request),
    })
  }

  find(userId: bigint | number): Promise<StoredRequest | null> {
    return this.#requests.find(keyOf(userId))
  }

  ask(userId: number) {
    return this.#requests.ask({ ...keyOf(userId), userId, chatId: userId })
  }

  /** Stores an admin's decision about an open request. @returns The decision, by this admin or another admin. */
  async decide(given: NewAccess) {
    const key = keyOf(given.userId)
    const { outcome, request } = await this.#requests.decide(key, () =>
      this.#write(given, ({ admission }) => admission === 'requested'),
    )
    const describe = request && (await this.#requests.describeDecision(request))
    return { outcome, describe }
  }

  /** Decides about the access of a user, with or without a request. */
  async set(given: NewAccess): Promise<AccessOutcome> {
    const key = keyOf(given.userId)
    return (await this.#requests.decide(key, () => this.store(given))).outcome
  }

  /** Decides like `set()`; another process shows the decision. */
  store(given: NewAccess): Promise<AccessOutcome> {
    return this.#write(given, ({ admission }) => admission !== given.decision)
  }

  /** Shows a decision to its user and the admins. Safe to repeat. */
  show(userId: number): Promise<unknown> {
    return this.#requests.show(keyOf(userId))
  }

  #write(given: NewAccess, isOpen: (user: KnownUser) => boolean): Promise<AccessOutcome> {
    const { prisma, access } = this.#people
    const { userId, decision, adminId, seen } = given
    return prisma.$transaction(async (tx) => {
      await lockUser(tx, userId)
      const user = await tx.user.findUnique({ where: { id: userId }, select: USER_FIELDS })
      if (user === null) return 'unknown'
      if (!isOpen(user)) return 'unchanged'
      const isBlocked = decision === 'blocked'
      if (isBlocked && access.roleOf(user) === 'admin') return 'admin'
      await storeDecision(tx, given)
      const data = { admission: decision, ...(isBlocked && { role: null }) }
      await tx.user.update({ where: { id: userId }, data })
      const change = { adminId, subjectId: userId }
      const { admission: before, role } = user
      await recordChange(tx, { ...change, what: 'access', before, after: decision, seen })
      if (isBlocked) await recordChange(tx, { ...change, what: 'role', before: role, after: null })
      return 'decided'
    })
  }

  async #notify({ user, decision }: StoredRequest): Promise<void> {
    const { outbox, texts, log } = this.#people
    const chatId = Number(user.id)
    const text = texts.t(languageOf(user), `access-${decision}`)
    const ifLost = 'user maybe not notified of a decision on access'
    await sendBestEffort(() => outbox.send({ chatId, text }), { chatId, ifLost, log })
  }
}

async function storeDecision(tx: Tx, { userId, decision, adminId }: NewAccess): Promise<void> {
  const key = keyOf(userId)
  const decidedAt = await readTime(tx)
  const decided = { decision, decidedById: adminId, decidedAt, toldAt: null }
  await tx.request.upsert({
    where: { kind_subjectId_period: key },
    create: { ...key, userId, chatId: userId, askedAt: decidedAt, ...decided },
    update: decided,
  })
}

function keyOf(userId: bigint | number) {
  return { kind: 'access', subjectId: BigInt(userId), period: 'all' } as const
}

export interface PageDecisionsContext extends Pick<People, 'prisma' | 'access' | 'settings'> {
  requests: Pick<AccessRequests, 'store'>
  /** Stores that the active process must show a decision to its user. */
  showLater: (notice: { kind: 'access' | 'role'; userId: number }) => Promise<void>
}

/** The decisions on the page, which any process may serve. */
export function createPageDecisions(context: PageDecisionsContext) {
  const { requests, showLater } = context
  return {
    async giveRole(given: NewRole) {
      const outcome = await storeRole(context, given)
      if (outcome === 'given' || outcome === 'unchanged')
        await showLater({ kind: 'role', userId: given.userId })
      return outcome
    },
    async setAccess(given: NewAccess) {
      const outcome = await requests.store(given)
      if (outcome === 'decided' || outcome === 'unchanged')
        await showLater({ kind: 'access', userId: given.userId })
      return outcome
    },
  }
}

export type PageDecisions = ReturnType<typeof createPageDecisions>
