import type { InlineKeyboardButton } from 'grammy/types'
import type { LimitPeriod } from '../../../database/generated/enums.ts'
import { formatInstant } from '../../dates.ts'
import type { Texts } from '../../locales/texts.ts'
import { formatMoney } from '../format.ts'
import type { LimitRefusal } from './limit-refusal.ts'

/** What users and admins read about limits, in their language and on the clock of the time zone. */
export function createLimitTexts({ texts, timeZone }: { texts: Texts; timeZone: string }) {
  return { limit, refusal, askButton }

  /** A limit in words: "₽500.00 a month". */
  function limit(
    { amountMicroRub, period }: { amountMicroRub: bigint | null; period: LimitPeriod },
    languageCode: string | undefined,
  ): string {
    if (amountMicroRub === null) return texts.t(languageCode, 'limit-none', { period })
    const amount = formatMoney(amountMicroRub, languageCode)
    return texts.t(languageCode, 'limit-amount', { amount, period })
  }

  /** Why something was not begun, and when it can be. */
  function refusal(refused: LimitRefusal, languageCode: string | undefined): string {
    const { subjectId, period, reservedMicroRub, neededMicroRub, resetsAt } = refused
    return texts.t(languageCode, 'limit-reached', {
      whose: whoseOf(subjectId),
      limit: limit({ amountMicroRub: refused.limitMicroRub, period }, languageCode),
      spent: money(refused.spentMicroRub, languageCode),
      isMore: String(reservedMicroRub > 0n),
      reserved: money(reservedMicroRub, languageCode),
      isPriced: String(neededMicroRub > 0n),
      needed: money(neededMicroRub, languageCode),
      period,
      at: instant(resetsAt, languageCode),
    })
  }

  /**
   * With which a user asks the admins to raise the limit that left no room.
   *
   * @param turnId The turn that was not asked, if it was one.
   */
  function askButton(
    { subjectId, period }: Pick<LimitRefusal, 'subjectId' | 'period'>,
    languageCode: string | undefined,
    turnId?: bigint,
  ): InlineKeyboardButton {
    const words = ['limit-ask', subjectId, period, ...(turnId === undefined ? [] : [turnId])]
    return { text: texts.t(languageCode, 'button-ask-more'), callback_data: words.join(':') }
  }

  function instant(at: Date | null, languageCode: string | undefined): string {
    return at === null ? '' : formatInstant(at, { languageCode, timeZone })
  }
}

export type LimitTexts = ReturnType<typeof createLimitTexts>

/** Users have ids above zero, groups below. */
export function whoseOf(subjectId: bigint): 'user' | 'group' {
  return subjectId < 0n ? 'group' : 'user'
}

/** More may have been taken back in a period than was charged in it. */
function money(microRub: bigint, languageCode: string | undefined): string {
  return formatMoney(microRub > 0n ? microRub : 0n, languageCode)
}
