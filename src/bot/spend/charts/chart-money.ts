import type { Language } from '../../locales/texts.ts'
import { type FormattedSum, formatSum } from '../format.ts'

const ROUBLES = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const

/** Writes amounts and their sum as everywhere, so that they add up as shown, with spaces that the font has. */
export function formatDrawnSum(
  amountsMicroRub: readonly bigint[],
  language: Language,
): FormattedSum {
  const { lines, sum } = formatSum(amountsMicroRub, language)
  return { lines: lines.map(toDrawn), sum: toDrawn(sum) }
}

/** Writes an amount beside an axis, as short as it can be: `₽12.5K`, `12,5 тыс. ₽`. */
export function formatShortRub(rub: number, language: Language): string {
  const notation = Math.abs(rub) >= 10_000 ? 'compact' : 'standard'
  const digits = { maximumSignificantDigits: 3, minimumFractionDigits: 0 }
  return toDrawn(new Intl.NumberFormat(language, { ...ROUBLES, notation, ...digits }).format(rub))
}

function toDrawn(text: string): string {
  return text.replaceAll('\u202f', '\u00a0')
}
