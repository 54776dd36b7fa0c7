import type { Prisma, PrismaClient } from '../platform/database/generated/client.ts'

/** Values of `limit_…`, and of settings that end in `_micro_rub`, are micro-roubles, `off` or `none`. */
export type Changed =
  | 'access'
  | 'role'
  | `limit_${'day' | 'week' | 'month' | 'all'}`
  /** The name of its row, as in `stored-settings.ts`. */
  | `setting:${string}`

export interface NewChange {
  adminId: number
  what: Changed
  subjectId?: number | bigint | undefined
  before: string | null
  after: string | null
  /** The value that the admin saw when deciding; undefined if none was shown. */
  seen?: string | null | undefined
}

/** Another admin changed the value after it was shown. The transaction stores nothing. */
export class ChangedMeanwhileError extends Error {
  override readonly name = 'ChangedMeanwhileError'
  readonly what: string
  readonly now: string | null

  constructor(what: string, now: string | null) {
    super('Cannot change: the value differs from the shown value')
    this.what = what
    this.now = now
  }
}

/**
 * Logs a change in its transaction. An unchanged value, as of a repeated press, is not logged.
 *
 * @param before Read under a lock, so that one of two changes of the same shown value succeeds.
 * @throws {ChangedMeanwhileError} If the stored value differs from the shown value.
 */
export async function recordChange(
  tx: Pick<Prisma.TransactionClient, 'change'>,
  { subjectId, seen, ...change }: NewChange,
): Promise<void> {
  if (change.before === change.after) return
  if (seen !== undefined && seen !== change.before) {
    throw new ChangedMeanwhileError(change.what, change.before)
  }
  await tx.change.create({ data: { ...change, subjectId: subjectId ?? null } })
}

export interface NamedUser {
  id: number
  /** Empty for users who never wrote to the bot, or erased their data. */
  name: string
  username: string | null
}

export interface LoggedChange {
  id: bigint
  at: Date
  admin: NamedUser
  what: string
  subject: NamedUser | null
  before: string | null
  after: string | null
}

/** Returns changes, the latest first. */
export async function readChanges(
  prisma: Pick<PrismaClient, 'change' | 'user'>,
  { before, take }: { before?: bigint | undefined; take: number },
): Promise<{ changes: LoggedChange[]; next: bigint | undefined }> {
  const found = await prisma.change.findMany({
    ...(before !== undefined && { where: { id: { lt: before } } }),
    orderBy: { id: 'desc' },
    take: take + 1,
  })
  const rows = found.slice(0, take)
  const ids = rows.flatMap(({ adminId, subjectId }) =>
    subjectId === null ? [adminId] : [adminId, subjectId],
  )
  const users = await prisma.user.findMany({
    where: { id: { in: ids } },
    select: { id: true, firstName: true, username: true },
  })
  const byId = new Map(users.map((user) => [user.id, user]))
  const named = (id: bigint): NamedUser => {
    const { firstName = '', username = null } = byId.get(id) ?? {}
    return { id: Number(id), name: firstName, username }
  }
  const changes = rows.map(({ createdAt: at, adminId, subjectId, ...change }) => ({
    ...change,
    at,
    admin: named(adminId),
    subject: subjectId === null ? null : named(subjectId),
  }))
  return { changes, next: found.length > take ? rows.at(-1)?.id : undefined }
}
