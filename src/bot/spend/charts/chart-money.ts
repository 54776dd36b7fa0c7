import { toWireRub } from '../../../contract/money.ts'
import type { Language } from '../../locales/texts.ts'
import { type FormattedSum, formatMoney, formatSum } from '../format.ts'

const ROUBLES = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const

/** Writes amounts and their sum as everywhere, so that they add up as shown, with spaces that the font has. */
export function formatDrawnSum(
  amountsMicroRub: readonly bigint[],
  language: Language,
): FormattedSum {
  const { lines, sum } = formatSum(amountsMicroRub, language)
  return { lines: lines.map(toDrawn), sum: toDrawn(sum) }
}

/** Writes an amount beside an axis, as short as it can be: `₽7.50`, `₽60`, `₽12.5K`, `12,5 тыс. ₽`. */
export function formatShortRub(rub: number, language: Language): string {
  const format = new Intl.NumberFormat(language, { ...ROUBLES, ...digitsOf(Math.abs(rub)) })
  return toDrawn(format.format(rub))
}

/**
 * Writes what a day came to above its bar: as short as beside an axis, but of less than a rouble as everywhere. It is no
 * step of one, and `₽0.724` there is `₽0.72` in the sum.
 */
export function formatDaySum(microRub: bigint, language: Language): string {
  const rub = toWireRub(microRub)
  return rub < 1 ? toDrawn(formatMoney(microRub, language)) : formatShortRub(rub, language)
}

/** Kopecks have two digits, as everywhere; a step of an axis may be smaller than one. */
function digitsOf(rub: number) {
  if (rub >= 10_000) {
    return { notation: 'compact', maximumSignificantDigits: 3, minimumFractionDigits: 0 } as const
  }
  if (rub >= 100) return { maximumFractionDigits: 0 }
  const maximumFractionDigits = rub < 1 ? 3 : 2
  return { maximumFractionDigits, trailingZeroDisplay: 'stripIfInteger' } as const
}

function toDrawn(text: string): string {
  return text.replaceAll('\u202f', '\u00a0')
}
