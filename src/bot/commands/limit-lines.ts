import { markInstant } from '../locales/dates.ts'
import { formatMoney } from '../spend/format.ts'
import type { HeldLimit } from '../spend/limits/held-limits.ts'
import type { LimitTexts } from '../spend/limits/limit-texts.ts'
import type { Command } from './command.ts'

/** Lists what is left of each limit that holds, and when its next period begins. */
export function limitLines(
  held: readonly HeldLimit[],
  {
    limitTexts,
    timeZone,
    user,
    t,
  }: { limitTexts: LimitTexts; timeZone: string } & Pick<Command, 'user' | 't'>,
): string[] {
  const { languageCode } = user
  const lines = held.flatMap((limit) => {
    const { amountMicroRub, spentMicroRub, reservedMicroRub, resetsAt } = limit
    if (amountMicroRub === null) return []
    const left = amountMicroRub - spentMicroRub - reservedMicroRub
    return t('limit-left', {
      limit: limitTexts.limit(limit, languageCode),
      left: formatMoney(left > 0n ? left : 0n, languageCode),
      resets: resetsAt === null ? 'never' : 'at',
      at: resetsAt === null ? '' : markInstant(resetsAt, { languageCode, timeZone }),
    })
  })
  const isLifted = held.some((limit) => limit.isLifted)
  return isLifted ? [...lines, t('limit-lifted-today')] : lines
}
