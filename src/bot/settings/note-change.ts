import type { Prisma } from '../../platform/database/generated/client.ts'

/**
 * What admins change. The values of `limit_…`, and of a setting whose name ends in `_micro_rub`, are amounts
 * in micro-roubles, or words: `off`, `none`.
 */
export type Changed =
  | 'access'
  | 'role'
  | `limit_${'day' | 'week' | 'month' | 'all'}`
  /** The name of its row, as in `stored-settings.ts`. */
  | `setting:${string}`

export interface NewChange {
  adminId: number
  what: Changed
  /** The user or group whom it is about; left out where it holds for all. */
  subjectId?: number | bigint | undefined
  /** Null: there was none. */
  before: string | null
  after: string | null
}

/**
 * Notes in the log who changed what, in the transaction of the change. What stays as it was is no change: a
 * press that is handled again is noted once.
 */
export async function noteChange(
  tx: Pick<Prisma.TransactionClient, 'change'>,
  { subjectId, ...change }: NewChange,
): Promise<void> {
  if (change.before === change.after) return
  await tx.change.create({ data: { ...change, subjectId: subjectId ?? null } })
}
