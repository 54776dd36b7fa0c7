import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitTexts } from '../spend/limit-texts.ts'
import { EVERYBODY, type HeldLimit, type Limits, raisedBy } from '../spend/limits.ts'
import { NEAR_PERCENT } from '../spend/near-limits.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { NotifyAdmins } from './notify-admins.ts'

type Level = 'near' | 'reached'

export interface EverybodyWatchDeps {
  prisma: Pick<PrismaClient, 'alert'>
  limits: Pick<Limits, 'ofSubject'>
  limitTexts: Pick<LimitTexts, 'report' | 'raiseButton'>
  notifyAdmins: NotifyAdmins
  log: Logger
}

/** Reports to admins that the limit for everybody is near, and that it is reached: each once in a period. */
export function createEverybodyWatch(deps: EverybodyWatchDeps) {
  const { prisma, limits, limitTexts, notifyAdmins, log } = deps
  return { look, reached }

  async function look(): Promise<void> {
    for (const held of await limits.ofSubject(EVERYBODY)) {
      const percent = percentSpent(held)
      if (percent === undefined || percent < NEAR_PERCENT) continue
      if (percent >= 100n) await report('reached', held)
      // It may be reached before all of it is spent: what is asked for needs more than is left.
      else if (!(await isReported('reached', held))) await report('near', held)
    }
  }

  async function reached(period: HeldLimit['period']): Promise<void> {
    try {
      const held = (await limits.ofSubject(EVERYBODY)).find((limit) => limit.period === period)
      if (held !== undefined && percentSpent(held) !== undefined) await report('reached', held)
    } catch (error) {
      log.info(errorFacts(error), 'limit for everybody maybe not reported')
    }
  }

  function report(level: Level, held: HeldLimit): Promise<void> {
    return notifyAdmins({
      name: nameOf(level, held),
      // What was reported before that was another period, or another limit.
      causedAt: held.beganAt,
      workedAt: held.beganAt,
      write: (languageCode) => limitTexts.report(level, held, languageCode),
      buttons: (languageCode) =>
        (['half', 'double'] as const).flatMap((verb) => {
          const { amountMicroRub, spentMicroRub } = held
          const now = amountMicroRub ?? 0n
          const raised = raisedBy(verb, { amountMicroRub: now, spentMicroRub })
          if (raised === null || raised <= now) return []
          return [[limitTexts.raiseButton(verb, { ...held, amountMicroRub: raised }, languageCode)]]
        }),
    })
  }

  async function isReported(level: Level, held: HeldLimit): Promise<boolean> {
    const last = await prisma.alert.findUnique({ where: { name: nameOf(level, held) } })
    return last !== null && last.toldAt >= held.beganAt
  }
}

export type EverybodyWatch = ReturnType<typeof createEverybodyWatch>

function nameOf(level: Level, { period }: HeldLimit): string {
  return `everybody-limit-${level} ${period}`
}

function percentSpent({ amountMicroRub, spentMicroRub, isLifted }: HeldLimit) {
  if (isLifted || amountMicroRub === null || amountMicroRub === 0n) return undefined
  return (spentMicroRub * 100n) / amountMicroRub
}
