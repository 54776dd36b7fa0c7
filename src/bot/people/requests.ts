/**
 * Requests of users to the admins, for access (`access-requests.ts`) or a higher limit (`spend/limit-requests.ts`).
 *
 * In: callback queries of users and admins, and the page. Out: one row for each request, a message to each admin, and
 * an answer to the user.
 * Invariant: of concurrent users one asks, and of concurrent admins one decides. A repeated callback query finishes the
 * steps that a crash left undone.
 */
import type { InlineKeyboardButton } from 'grammy/types'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { RequestDecision } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { errorFacts } from '../telegram/errors.ts'
import { markInstant } from '../texts/dates.ts'
import type { People } from './people.ts'
import { languageOf, lockUser } from './users.ts'

export const ASK_AGAIN_MS = 86_400_000

type Tx = Prisma.TransactionClient

export type StoredRequest = Prisma.RequestGetPayload<{ include: { user: true } }>
export type RequestKey = Pick<StoredRequest, 'kind' | 'subjectId' | 'period'>
export type NewRequest = RequestKey & Omit<Prisma.RequestUncheckedCreateInput, 'askedAt' | 'copies'>

export type RequestsContext = Pick<People, 'prisma' | 'roles' | 'outbox' | 'texts' | 'log'> & {
  settings: { timeZone: string }
}

/** One kind of requests: its texts and its consequences. */
export interface RequestRules {
  describe(request: StoredRequest, languageCode: string | undefined): string
  buttons(request: StoredRequest, languageCode: string | undefined): InlineKeyboardButton[][]
  limitOf?(request: StoredRequest, languageCode: string | undefined): string
  /** Stores the consequences of a new request, in its transaction. */
  onAsked?(tx: Tx, request: NewRequest): Promise<unknown>
  /** Carries out a decision outside the database, and notifies the user. */
  answer(request: StoredRequest): Promise<void>
}

interface Copy {
  adminId: number
  messageId: number
}

export class Requests {
  readonly #context: RequestsContext
  readonly #kind: RequestRules
  readonly #lasts = new Map<string, Promise<unknown>>()

  constructor(context: RequestsContext, kind: RequestRules) {
    this.#context = context
    this.#kind = kind
  }

  find(key: RequestKey): Promise<StoredRequest | null> {
    return this.#context.prisma.request.findUnique({ where: whereOf(key), include: { user: true } })
  }

  /** Stores a request unless one is open or was refused within a day; each admin receives an open request once. */
  ask(wish: NewRequest): Promise<{ isNew: boolean; request: StoredRequest | null }> {
    return this.#inTurn(wish, async () => {
      const isNew = await this.#context.prisma.$transaction((tx) => this.#store(tx, wish))
      const request = await this.find(wish)
      if (request?.decision === null) await this.#sendCopies(request)
      return { isNew, request }
    })
  }

  /** Runs `write`, and shows its decision or the existing decision. */
  decide<T>(key: RequestKey, write: () => Promise<T>) {
    return this.#inTurn(key, async () => {
      const outcome = await write()
      return { outcome, request: await this.#show(key) }
    })
  }

  /** Shows a decision to the user and in all admins' messages. Safe to repeat. */
  show(key: RequestKey): Promise<StoredRequest | null> {
    return this.#inTurn(key, () => this.#show(key))
  }

  /** Describes a decision in any language. */
  async describeDecision(request: StoredRequest): Promise<(languageCode?: string) => string> {
    const { prisma, texts, settings } = this.#context
    const { decision, decidedById, decidedAt } = request
    const admin = await findUser(prisma, decidedById ?? 0n)
    return (languageCode) =>
      decision === null
        ? ''
        : texts.t(languageCode, 'request-decided', {
            decision,
            admin: admin?.firstName ?? String(decidedById),
            at: markInstant(decidedAt ?? new Date(0), { languageCode, ...settings }),
            limit: this.#kind.limitOf?.(request, languageCode) ?? '',
          })
  }

  async #store(tx: Tx, wish: NewRequest): Promise<boolean> {
    await lockUser(tx, wish.userId)
    const askedAt = await readTime(tx)
    const dayAgo = { lte: new Date(askedAt.getTime() - ASK_AGAIN_MS) }
    const { kind, subjectId, period } = wish
    const isOver = [
      { decision: { in: ['half', 'double'] satisfies RequestDecision[] } },
      { decision: 'refused' as const, decidedAt: dayAgo },
      // The period of the limit may have begun anew.
      ...(kind === 'limit' ? [{ decision: null, askedAt: dayAgo }] : []),
    ]
    await tx.request.deleteMany({ where: { kind, subjectId, period, OR: isOver } })
    const data = { ...wish, askedAt }
    const { count } = await tx.request.createMany({ data, skipDuplicates: true })
    if (count === 1) await this.#kind.onAsked?.(tx, wish)
    return count === 1
  }

  async #show(key: RequestKey): Promise<StoredRequest | null> {
    const request = await this.find(key)
    if (request === null || request.decision === null) return request
    await Promise.all([this.#answer(request), this.#closeCopies(request)])
    return request
  }

  async #answer(request: StoredRequest): Promise<void> {
    if (request.toldAt !== null) return
    await this.#kind.answer(request)
    const data = { toldAt: new Date() }
    await this.#context.prisma.request.update({ where: whereOf(request), data })
  }

  async #sendCopies(request: StoredRequest): Promise<void> {
    const { prisma, roles, outbox, log } = this.#context
    const shownTo = new Set(copiesOf(request).map(({ adminId }) => adminId))
    const admins = (await roles.admins()).filter(({ userId }) => !shownTo.has(userId))
    await Promise.all(
      admins.map(async ({ userId: adminId, languageCode }) => {
        const text = this.#kind.describe(request, languageCode)
        const keyboard = { inline_keyboard: this.#kind.buttons(request, languageCode) }
        try {
          const { messageId } = await outbox.send({ chatId: adminId, text, keyboard })
          await addCopy(prisma, request, { adminId, messageId })
        } catch (error) {
          // The bot cannot reach an admin who never wrote to it.
          log.warn({ ...errorFacts(error), adminId }, 'admin not notified of a request')
        }
      }),
    )
  }

  async #closeCopies(request: StoredRequest): Promise<void> {
    const { prisma, outbox, log } = this.#context
    const copies = copiesOf(request)
    if (copies.length === 0) return
    const describeDecision = await this.describeDecision(request)
    await Promise.all(
      copies.map(async ({ adminId, messageId }) => {
        const admin = await findUser(prisma, adminId)
        const languageCode = admin === null ? undefined : languageOf(admin)
        const paragraphs = [
          this.#kind.describe(request, languageCode),
          describeDecision(languageCode),
        ]
        try {
          await outbox.edit({ chatId: adminId, messageId }, paragraphs.join('\n\n'))
        } catch (error) {
          log.info({ ...errorFacts(error), adminId }, 'request not brought up to date')
        }
      }),
    )
    await prisma.request.update({ where: whereOf(request), data: { copies: [] } })
  }

  #inTurn<T>({ subjectId, period }: RequestKey, task: () => Promise<T>): Promise<T> {
    const key = `${subjectId} ${period}`
    const result = (this.#lasts.get(key) ?? Promise.resolve()).then(task)
    const last = result
      .catch(() => {}) // Its caller has the error.
      .finally(() => {
        if (this.#lasts.get(key) === last) this.#lasts.delete(key)
      })
    this.#lasts.set(key, last)
    return result
  }
}

function whereOf({ kind, subjectId, period }: RequestKey) {
  return { kind_subjectId_period: { kind, subjectId, period } }
}

function copiesOf({ copies }: StoredRequest): Copy[] {
  return copies as unknown as Copy[]
}

/** In one statement, because copies reach several admins at once. */
async function addCopy(prisma: PrismaClient, key: RequestKey, copy: Copy): Promise<void> {
  const { kind, subjectId, period } = key
  await prisma.$executeRaw`
    UPDATE bot.request SET copies = copies || ${JSON.stringify([copy])}::jsonb
    WHERE kind = ${kind}::bot.asked_for AND subject_id = ${subjectId}
      AND period = ${period}::bot.limit_period`
}

function findUser(prisma: PrismaClient, id: bigint | number) {
  return prisma.user.findUnique({ where: { id } })
}
