import { parseRub, toWireRub } from '../../contract/money.ts'
import { type Language, toLanguage } from '../texts/texts.ts'

const MICRO_RUB_PER_KOPECK = 10_000n

const ROUBLES = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const

const FORMATS: Record<Language, ReturnType<typeof formatsOf>> = {
  en: formatsOf('en'),
  ru: formatsOf('ru'),
}

/**
 * Writes an amount as its reader does, in kopecks: `₽12.34` in English, `12,34 ₽` in Russian. What is less than
 * one and not nothing is `<₽0.01`.
 */
export function formatMoney(microRub: bigint, languageCode: string | undefined): string {
  const { kopecks } = FORMATS[toLanguage(languageCode)]
  if (!isTiny(microRub)) return kopecks.format(toWireRub(roundToKopeck(microRub)))
  const least = `<${kopecks.format(toWireRub(MICRO_RUB_PER_KOPECK))}`
  return microRub < 0n ? `-${least}` : least
}

/**
 * Writes an amount that is an estimate: `≈ ₽12.34`, which no line break parts. What is nothing, or less than a kopeck,
 * is no closer than it says.
 */
export function formatAbout(microRub: bigint, languageCode: string | undefined): string {
  const amount = formatMoney(microRub, languageCode)
  return microRub === 0n || isTiny(microRub) ? amount : `≈\u00a0${amount}`
}

/** Writes an amount to the micro-rouble: `₽12.340000`. */
export function formatExactMoney(microRub: bigint, languageCode: string | undefined): string {
  return FORMATS[toLanguage(languageCode)].exact.format(toWireRub(microRub))
}

/** Rounds half away from zero. */
function roundToKopeck(microRub: bigint): bigint {
  const half = microRub < 0n ? -MICRO_RUB_PER_KOPECK / 2n : MICRO_RUB_PER_KOPECK / 2n
  return ((microRub + half) / MICRO_RUB_PER_KOPECK) * MICRO_RUB_PER_KOPECK
}

function isTiny(microRub: bigint): boolean {
  return microRub !== 0n && microRub < MICRO_RUB_PER_KOPECK && microRub > -MICRO_RUB_PER_KOPECK
}

/** Amounts as they stand in a list, and below it. */
export interface FormattedSum {
  lines: string[]
  sum: string
}

/**
 * Writes the lines of a sum so that what is shown of them adds up to what is shown of it.
 *
 * The sum is written as by `formatMoney()`; each line is rounded up or down to kopecks, those up whose rest is
 * largest, as many as the sum asks for: none is further off than a kopeck. A line that is not nothing and
 * has come to 0.00 counts as that, and is shown as `<₽0.01`; so does a sum of less than a kopeck.
 */
export function formatSum(
  linesMicroRub: readonly bigint[],
  languageCode: string | undefined,
): FormattedSum {
  const sumMicroRub = linesMicroRub.reduce((sum, line) => sum + line, 0n)
  const shownMicroRub = roundLines(linesMicroRub, sumMicroRub)
  const write = (rounded: bigint, exact: bigint) =>
    formatMoney(rounded === 0n && isTiny(exact) ? exact : rounded, languageCode)
  return {
    lines: shownMicroRub.map((rounded, index) => write(rounded, linesMicroRub[index] ?? 0n)),
    sum: formatMoney(sumMicroRub, languageCode),
  }
}

/** Rounds lines to kopecks that come to their sum as it is shown. */
function roundLines(linesMicroRub: readonly bigint[], sumMicroRub: bigint): bigint[] {
  const floored = linesMicroRub.map((microRub, index) => {
    const rest = ((microRub % MICRO_RUB_PER_KOPECK) + MICRO_RUB_PER_KOPECK) % MICRO_RUB_PER_KOPECK
    return { index, rest, rounded: microRub - rest }
  })
  const shown = isTiny(sumMicroRub) ? 0n : roundToKopeck(sumMicroRub)
  const missing = shown - floored.reduce((total, { rounded }) => total + rounded, 0n)
  const raised = new Set(
    floored
      .toSorted((one, other) => Number(other.rest - one.rest))
      .slice(0, Number(missing / MICRO_RUB_PER_KOPECK))
      .map(({ index }) => index),
  )
  return floored.map(({ index, rounded }) =>
    raised.has(index) ? rounded + MICRO_RUB_PER_KOPECK : rounded,
  )
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
    kopecks: new Intl.NumberFormat(language, ROUBLES),
    exact: new Intl.NumberFormat(language, { ...ROUBLES, minimumFractionDigits: 6 }),
  }
}
