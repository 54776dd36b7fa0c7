import type { Prisma } from '../../../platform/database/generated/client.ts'

/**
 * The decisions of admins about a request: to raise the limit by half or to twice, to lift it until midnight, or not.
 */
export const LIMIT_VERBS = ['half', 'double', 'lift', 'refuse'] as const
export type LimitVerb = (typeof LIMIT_VERBS)[number]

/** The columns that are read with a request's row. */
export const WITH_ASKER = { user: true } as const

/** That a limit be raised, as a user asked, with what was decided about it. */
export type LimitRequest = Prisma.LimitRequestGetPayload<{ include: typeof WITH_ASKER }>
