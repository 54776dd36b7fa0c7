import type { LimitPeriod } from '../../../database/generated/enums.ts'
import type { Texts } from '../../locales/texts.ts'
import { formatMoney } from '../format.ts'

/** What users and admins read about limits, in their language. */
export function createLimitTexts({ texts }: { texts: Texts; timeZone: string }) {
  return { limit }

  /** A limit in words: "₽500.00 a month". */
  function limit(
    { amountMicroRub, period }: { amountMicroRub: bigint | null; period: LimitPeriod },
    languageCode: string | undefined,
  ): string {
    if (amountMicroRub === null) return texts.t(languageCode, 'limit-none', { period })
    const amount = formatMoney(amountMicroRub, languageCode)
    return texts.t(languageCode, 'limit-amount', { amount, period })
  }
}

export type LimitTexts = ReturnType<typeof createLimitTexts>

/** Users have ids above zero, groups below. */
export function whoseOf(subjectId: bigint): 'user' | 'group' {
  return subjectId < 0n ? 'group' : 'user'
}
