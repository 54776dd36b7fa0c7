import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { claimAlert } from '../claim-alert.ts'
import { languageOf } from '../people/users.ts'
import { errorFacts } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/send.ts'
import type { LimitTexts } from './limit-texts.ts'
import { EVERYBODY, type HeldLimit, type Limits, subjectsOf } from './limits.ts'

/** How much of a limit is spent when it is near, in percent. */
export const NEAR_PERCENT = 80n

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

/** Never throws. A lost warning is not sent again: the limit holds without it. */
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

async function claimNear(
  { prisma, limits }: NearLimitsContext,
  charged: Charged,
): Promise<HeldLimit[]> {
  const subjects = subjectsOf(charged).filter((id) => id !== EVERYBODY)
  const held = await limits.ofSubjects(subjects)
  const near: HeldLimit[] = []
  for (const limit of held) {
    const { amountMicroRub, spentMicroRub } = limit
    if (amountMicroRub === null || amountMicroRub === 0n) continue
    if (spentMicroRub * 100n < amountMicroRub * NEAR_PERCENT) continue
    // A limit that was changed begins anew.
    const name = `limit-near ${limit.subjectId} ${limit.period}`
    if (await claimAlert(prisma, name, limit.beganAt)) near.push(limit)
  }
  return near
}
