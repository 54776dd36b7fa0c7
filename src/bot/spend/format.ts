import { parseRub, toWireRub } from '../../contract/money.ts'
import { type Language, toLanguage } from '../locales/texts.ts'

const MICRO_RUB_PER_KOPECK = 10_000n
const MICRO_RUB_PER_RUB = 1_000_000n

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

/** Amounts as they stand in a list, and below it. */
export interface FormattedSum {
  lines: string[]
  sum: string
}

/**
 * Writes the lines of a sum so that what is shown of them adds up to what is shown of it.
 *
 * Shown are kopecks, of a sum below one rouble all six decimals. The sum is rounded as by `formatMoney()`;
 * each line up or down, those up whose rest is largest, as many as the sum asks for: none is further off
 * than a kopeck. A line that is not zero and has come to 0.00 counts as that, and is shown as `<₽0.01`.
 */
export function formatSum(
  linesMicroRub: readonly bigint[],
  languageCode: string | undefined,
): FormattedSum {
  const { whole } = FORMATS[toLanguage(languageCode)]
  const sumMicroRub = linesMicroRub.reduce((sum, line) => sum + line, 0n)
  const isTiny = sumMicroRub > -MICRO_RUB_PER_RUB && sumMicroRub < MICRO_RUB_PER_RUB
  if (isTiny && sumMicroRub !== 0n) {
    const write = (microRub: bigint) => formatExactMoney(microRub, languageCode)
    return { lines: linesMicroRub.map(write), sum: write(sumMicroRub) }
  }
  const write = (kopecks: bigint) => whole.format(toWireRub(kopecks * MICRO_RUB_PER_KOPECK))
  const { lines, sum } = roundToKopecks(linesMicroRub, sumMicroRub)
  return {
    lines: lines.map((kopecks, index) => {
      const isHidden = kopecks === 0n && linesMicroRub[index] !== 0n
      return isHidden ? `<${write(1n)}` : write(kopecks)
    }),
    sum: write(sum),
  }
}

function roundToKopecks(linesMicroRub: readonly bigint[], sumMicroRub: bigint) {
  const floored = linesMicroRub.map((microRub, index) => {
    const rest = ((microRub % MICRO_RUB_PER_KOPECK) + MICRO_RUB_PER_KOPECK) % MICRO_RUB_PER_KOPECK
    return { index, rest, kopecks: (microRub - rest) / MICRO_RUB_PER_KOPECK }
  })
  const half = sumMicroRub < 0n ? -MICRO_RUB_PER_KOPECK / 2n : MICRO_RUB_PER_KOPECK / 2n
  const sum = (sumMicroRub + half) / MICRO_RUB_PER_KOPECK
  const up = Number(sum - floored.reduce((total, { kopecks }) => total + kopecks, 0n))
  const raised = new Set(
    floored
      .toSorted((one, other) => Number(other.rest - one.rest))
      .slice(0, up)
      .map(({ index }) => index),
  )
  const lines = floored.map(({ index, kopecks }) => (raised.has(index) ? kopecks + 1n : kopecks))
  return { lines, sum }
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
