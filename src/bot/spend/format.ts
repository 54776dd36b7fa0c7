import { parseRub, toWireRub } from '../../contract/money.ts'
import { type Language, toLanguage } from '../locales/texts.ts'

const MICRO_RUB_PER_KOPECK = 10_000n

const ROUBLES = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const

const FORMATS: Record<Language, ReturnType<typeof formatsOf>> = {
  en: formatsOf('en'),
  ru: formatsOf('ru'),
}

/**
 * Writes an amount as its reader does: `₽12.34` in English, `12,34 ₽` in Russian.
 *
 * Two decimals; under one kopeck the first two digits that are not zero, so that a cost is never
 * shown as nothing.
 */
export function formatMoney(microRub: bigint, languageCode: string | undefined): string {
  const { whole, tiny } = FORMATS[toLanguage(languageCode)]
  const isTiny =
    microRub !== 0n && microRub < MICRO_RUB_PER_KOPECK && microRub > -MICRO_RUB_PER_KOPECK
  return (isTiny ? tiny : whole).format(toWireRub(microRub))
}

/** Writes an amount to the micro-rouble: `₽12.340000`. */
export function formatExactMoney(microRub: bigint, languageCode: string | undefined): string {
  return FORMATS[toLanguage(languageCode)].exact.format(toWireRub(microRub))
}

/**
 * Reads an amount that somebody typed: `5`, `2.50`, `2,50 ₽`, `₽200`.
 *
 * @returns Undefined where it is none, or below zero.
 */
export function parseMoney(text: string): bigint | undefined {
  const microRub = parseRub(text.replace(/^₽\s*|\s*₽$/g, '').replace(',', '.'))
  return microRub === undefined || microRub < 0n ? undefined : microRub
}

function formatsOf(language: Language) {
  return {
    whole: new Intl.NumberFormat(language, ROUBLES),
    exact: new Intl.NumberFormat(language, { ...ROUBLES, minimumFractionDigits: 6 }),
    tiny: new Intl.NumberFormat(language, { ...ROUBLES, maximumSignificantDigits: 2 }),
  }
}
