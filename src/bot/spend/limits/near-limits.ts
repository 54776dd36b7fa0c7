import type { Logger } from 'pino'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { languageOf } from '../../people/users.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { Outbox } from '../../telegram/send.ts'
import type { LimitTexts } from './limit-texts.ts'
import type { LimitWarnings } from './limit-warnings.ts'

/** A charge, and the chat that asked for it. */
export interface Charged {
  userId: bigint
  chatId: bigint | number
  threadId: number
}

export interface NearLimitsDeps {
  prisma: Pick<PrismaClient, 'user'>
  warnings: LimitWarnings
  limitTexts: Pick<LimitTexts, 'warning'>
  outbox: Pick<Outbox, 'send'>
  log: Logger
}

/** Says, after a charge and without a sound, that most of a limit is spent: to its user, or in its group. */
export function createNearLimits(deps: NearLimitsDeps) {
  const { prisma, warnings, limitTexts, outbox, log } = deps
  return { warn }

  /** Never throws. A warning that is lost on its way is not sent again: the limit holds all the same. */
  async function warn(charged: Charged): Promise<void> {
    try {
      const near = await warnings.claim(charged)
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
      log.info(
        { ...errorFacts(error), userId: String(charged.userId) },
        'limit warning maybe not sent',
      )
    }
  }
}
