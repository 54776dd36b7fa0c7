import type { Language } from '../../locales/texts.ts'
import { formatMoney } from '../format.ts'

const ROUBLES = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const

/** Writes an amount as everywhere, with spaces that the font has. */
export function formatDrawnMoney(microRub: bigint, language: Language): string {
  return toDrawn(formatMoney(microRub, language))
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
