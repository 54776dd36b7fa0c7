import type { InlineKeyboardButton } from 'grammy/types'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import type { StoredRequest } from '../people/requests.ts'
import { markInstant } from '../texts/dates.ts'
import type { Texts } from '../texts/texts.ts'
import { formatMoney } from './format.ts'
import { EVERYBODY, type HeldLimit, type LimitRefusal, type LimitVerb, raisedBy } from './limits.ts'

export function createLimitTexts({ texts, timeZone }: { texts: Texts; timeZone: string }) {
  return {
    limit,
    refusal,
    cut,
    askButton,
    warning,
    report,
    request,
    verb,
    raisedLimit,
    answer,
  }

  function limit(
    { amountMicroRub, period }: { amountMicroRub: bigint | null; period: LimitPeriod },
    languageCode: string | undefined,
  ): string {
    if (amountMicroRub === null) return texts.t(languageCode, 'limit-none', { period })
    const amount = formatMoney(amountMicroRub, languageCode)
    return texts.t(languageCode, 'limit-amount', { amount, period })
  }

  function refusal(refused: LimitRefusal, languageCode: string | undefined): string {
    const { limitMicroRub, spentMicroRub, reservedMicroRub, neededMicroRub } = refused
    return texts.t(languageCode, 'limit-reached', {
      ...bound(refused, languageCode),
      left: money(limitMicroRub - spentMicroRub - reservedMicroRub, languageCode),
      isMore: String(reservedMicroRub > 0n),
      reserved: money(reservedMicroRub, languageCode),
      isPriced: String(neededMicroRub > 0n),
      needed: money(neededMicroRub, languageCode),
    })
  }

  function cut(boundBy: LimitRefusal, languageCode: string | undefined): string {
    return texts.t(languageCode, 'limit-cut', bound(boundBy, languageCode))
  }

  function bound(refused: LimitRefusal, languageCode: string | undefined) {
    const { subjectId, period, limitMicroRub: amountMicroRub, resetsAt } = refused
    return {
      whose: whoseOf(subjectId),
      limit: limit({ amountMicroRub, period }, languageCode),
      period,
      at: instant(resetsAt, languageCode),
    }
  }

  function askButton(
    { subjectId, period, neededMicroRub }: LimitRefusal,
    languageCode: string | undefined,
    turnId?: bigint,
  ): InlineKeyboardButton {
    const what = turnId === undefined ? ['', neededMicroRub] : [turnId]
    const words = ['limit-ask', subjectId, period, ...what]
    return { text: texts.t(languageCode, 'button-ask-more'), callback_data: words.join(':') }
  }

  function warning(held: HeldLimit, languageCode: string | undefined): string {
    return texts.t(languageCode, 'limit-near', {
      whose: whoseOf(held.subjectId),
      ...spentOf(held, languageCode),
    })
  }

  function report(
    what: 'near' | 'reached',
    held: HeldLimit,
    languageCode: string | undefined,
  ): string {
    return texts.t(languageCode, `admin-limit-${what}`, spentOf(held, languageCode))
  }

  function spentOf(held: HeldLimit, languageCode: string | undefined) {
    const { period, spentMicroRub, resetsAt } = held
    return {
      limit: limit(held, languageCode),
      spent: money(spentMicroRub, languageCode),
      left: money((held.amountMicroRub ?? 0n) - spentMicroRub, languageCode),
      period,
      at: instant(resetsAt, languageCode),
    }
  }

  function request(asked: StoredRequest, languageCode: string | undefined): string {
    const { user, subjectId, amountMicroRub, spentMicroRub, neededMicroRub } = asked
    const { id, firstName, username } = user
    return texts.t(languageCode, 'limit-request', {
      name: username === null ? firstName : `${firstName} (@${username})`,
      id: String(id),
      whose: whoseOf(subjectId),
      subject: String(subjectId),
      limit: limit(asked, languageCode),
      left: money(amountMicroRub - spentMicroRub, languageCode),
      isPriced: String(neededMicroRub !== null && neededMicroRub > 0n),
      needed: money(neededMicroRub ?? 0n, languageCode),
    })
  }

  function verb(
    name: LimitVerb,
    raisedMicroRub: bigint | null,
    languageCode: string | undefined,
  ): string {
    const amount = money(raisedMicroRub ?? 0n, languageCode)
    return texts.t(languageCode, 'limit-verb', { verb: name, amount })
  }

  function raisedLimit(decided: StoredRequest, languageCode: string | undefined): string {
    const { decision, period } = decided
    const amountMicroRub = decision === null ? null : raisedBy(decision, decided)
    return limit({ amountMicroRub, period }, languageCode)
  }

  function answer(decided: StoredRequest, languageCode: string | undefined): string {
    return texts.t(languageCode, 'limit-answer', {
      decision: decided.decision ?? '',
      whose: whoseOf(decided.subjectId),
      limit: raisedLimit(decided, languageCode),
    })
  }

  function instant(at: Date | null, languageCode: string | undefined): string {
    return at === null ? '' : markInstant(at, { languageCode, timeZone })
  }
}

export type LimitTexts = ReturnType<typeof createLimitTexts>

/** Users have ids above zero, groups below. */
export function whoseOf(subjectId: bigint): 'user' | 'group' | 'everybody' {
  if (subjectId === EVERYBODY) return 'everybody'
  return subjectId < 0n ? 'group' : 'user'
}

/** More may have been taken back in a period than was charged in it. */
function money(microRub: bigint, languageCode: string | undefined): string {
  return formatMoney(microRub > 0n ? microRub : 0n, languageCode)
}
