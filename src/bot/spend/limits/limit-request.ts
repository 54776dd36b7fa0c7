import type { Prisma } from '../../../platform/database/generated/client.ts'
import { LIMIT_MICRO_RUB_MAX } from './limits.ts'

const RUB = 1_000_000n

const RAISES = { half: [3n, 2n], double: [2n, 1n] } as const

/**
 * The decisions of admins about a request: to raise the limit by half or to twice, to lift it until midnight, or not.
 */
export const LIMIT_VERBS = ['half', 'double', 'lift', 'refuse'] as const
export type LimitVerb = (typeof LIMIT_VERBS)[number]

/** The columns that are read with a request's row. */
export const WITH_ASKER = { user: true } as const

/** That a limit be raised, as a user asked, with what was decided about it. */
export type LimitRequest = Prisma.LimitRequestGetPayload<{ include: typeof WITH_ASKER }>

/**
 * Rounds a raised limit to whole roubles; null where the limit is not raised. A limit that was set below what is
 * spent is raised from there: otherwise it would leave no room.
 */
export function raisedBy(
  verb: LimitVerb,
  { amountMicroRub, spentMicroRub }: Pick<LimitRequest, 'amountMicroRub' | 'spentMicroRub'>,
): bigint | null {
  if (verb !== 'half' && verb !== 'double') return null
  const [times, over] = RAISES[verb]
  const fromMicroRub = spentMicroRub > amountMicroRub ? spentMicroRub : amountMicroRub
  const roubles = (fromMicroRub * times + over * RUB - 1n) / (over * RUB)
  const raised = roubles * RUB
  return raised < LIMIT_MICRO_RUB_MAX ? raised : LIMIT_MICRO_RUB_MAX
}
