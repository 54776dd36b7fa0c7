import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { languageOf } from '../people/users.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/send.ts'
import type { LimitTexts } from './limit-texts.ts'
import { EVERYBODY, type HeldLimit, type Limits, subjectsOf } from './limits.ts'

/** How much of a limit is spent when it is near, in percent. */
export const NEAR_PERCENT = 80n

/** A charge, and the chat that asked for it. */
export interface Charged {
  userId: bigint
  chatId: bigint | number
  threadId: number
}

export interface NearLimitsContext {
  prisma: PrismaClient
  limits: Pick<Limits, 'ofSubjects'>
  limitTexts: Pick<LimitTexts, 'warning'>
  outbox: Pick<Outbox, 'send'>
  log: Logger
}

/**
 * Reports after a charge, without a sound, that most of a limit is spent: to its user, or in its group.
 *
 * Never throws. A warning that is lost on its way is not sent again: the limit holds without it.
 */
export async function warnOfLimits(context: NearLimitsContext, charged: Charged): Promise<void> {
  const { prisma, limitTexts, outbox, log } = context
  try {
    const near = await claimNear(context, charged)
    if (near.length === 0) return
    const user = await prisma.user.findUnique({ where: { id: charged.userId } })
    const languageCode = user === null ? undefined : languageOf(user)
    for (const limit of near) {
      const isHere = limit.subjectId === BigInt(charged.chatId)
      await outbox.send({
        chatId: Number(limit.subjectId),
        ...(isHere && { threadId: charged.threadId }),
        text: limitTexts.warning(limit, languageCode),
        isSilent: true,
      })
    }
  } catch (error) {
    const facts = { ...errorFacts(error), userId: String(charged.userId) }
    log.info(facts, 'limit warning maybe not sent')
  }
}

/** Takes the limits of the user and the group that are near and had no warning in their period. */
async function claimNear(
  { prisma, limits }: NearLimitsContext,
  charged: Charged,
): Promise<HeldLimit[]> {
  const subjects = subjectsOf(charged).filter((id) => id !== EVERYBODY)
  const held = await limits.ofSubjects(subjects)
  const near: HeldLimit[] = []
  for (const limit of held) {
    const { amountMicroRub, spentMicroRub, isLifted } = limit
    if (isLifted || amountMicroRub === null || amountMicroRub === 0n) continue
    if (spentMicroRub * 100n < amountMicroRub * NEAR_PERCENT) continue
    if (await claim(prisma, { ...limit, amountMicroRub })) near.push(limit)
  }
  return near
}

/** Of concurrent charges one claims a warning. A limit that was changed is another limit. */
async function claim(
  prisma: NearLimitsContext['prisma'],
  { subjectId, period, amountMicroRub, resetsAt }: HeldLimit,
): Promise<boolean> {
  const claimed = await prisma.$executeRaw`
    INSERT INTO bot.limit_warning (subject_id, period, amount_micro_rub, resets_at)
    VALUES (${subjectId}, ${period}::bot.limit_period, ${amountMicroRub}, ${resetsAt})
    ON CONFLICT (subject_id, period) DO UPDATE
      SET amount_micro_rub = excluded.amount_micro_rub, resets_at = excluded.resets_at
      WHERE (limit_warning.amount_micro_rub, limit_warning.resets_at)
        IS DISTINCT FROM (excluded.amount_micro_rub, excluded.resets_at)`
  return claimed === 1
}
