import { formatMoney } from '../spend/format.ts'
import { YEAR_DAYS } from '../texts/dates.ts'
import { shortenLine } from '../texts/shorten.ts'
import { type Texts, type TextVariables, toLanguage } from '../texts/texts.ts'
import type { DigestFacts } from './digest-facts.ts'

/** The longest name: with such names the text is never longer than a caption may be. */
const NAME_CHARS_MAX = 24

/** Writes a digest in at most 1,024 characters: it is the caption of its picture. */
export function writeDigest(
  { day, dayMicroRub, monthMicroRub, failedOrders, users, outlook }: DigestFacts,
  { texts, languageCode }: { texts: Texts; languageCode: string | undefined },
): string {
  const t = (key: string, variables?: TextVariables) => texts.t(languageCode, key, variables)
  const money = (microRub: bigint) => formatMoney(microRub, languageCode)
  const sums = [
    t('digest-day', { day: formatDay(day, languageCode), amount: money(dayMicroRub) }),
    t('digest-month', { amount: money(monthMicroRub) }),
    ...(failedOrders === 0 ? [] : [t('digest-failed', { count: failedOrders })]),
  ]
  const names = users.map(({ user: { id, firstName, username }, spend }, index) => {
    const name = shortenLine(username === null ? firstName : `@${username}`, NAME_CHARS_MAX)
    return `${index + 1}. ${name || `id ${id}`}: ${money(spend.amountMicroRub)}`
  })
  const spenders = names.length === 0 ? [] : [[t('digest-users'), ...names].join('\n')]
  const left = describe(outlook)
  return [sums.join('\n'), ...spenders, ...(left === '' ? [] : [left])].join('\n\n')

  function describe(left: DigestFacts['outlook']): string {
    if (left === undefined) return t('digest-balance-unknown')
    if (left.balanceMicroRub === undefined) return ''
    if (left.month?.limitMicroRub !== undefined) {
      const limit = money(left.month.limitMicroRub)
      return t('digest-limit', { left: money(left.balanceMicroRub), limit })
    }
    const balance = money(left.balanceMicroRub)
    if (left.daysLeft === undefined) return t('digest-balance', { balance })
    if (left.daysLeft > YEAR_DAYS) return t('digest-balance-year', { balance })
    return t('digest-balance-days', { balance, days: Math.floor(left.daysLeft) })
  }
}

function formatDay(day: string, languageCode: string | undefined): string {
  const locale = toLanguage(languageCode) === 'ru' ? 'ru' : 'en-GB'
  const style = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(locale, style).format(new Date(day))
}
