import { parseRub, toWireRub } from '../../contract/money.ts'
import { type Language, toLanguage } from '../texts/texts.ts'

const KOPECK = 10_000n
const ROUBLES = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const

const KOPECKS: Record<Language, Intl.NumberFormat> = {
  en: new Intl.NumberFormat('en', ROUBLES),
  ru: new Intl.NumberFormat('ru', ROUBLES),
}

/** Writes an amount in kopecks: `₽12.34` in English, `12,34 ₽` in Russian, `<₽0.01` for less than a kopeck. */
export function formatMoney(microRub: bigint, languageCode: string | undefined): string {
  const kopecks = KOPECKS[toLanguage(languageCode)]
  if (!isTiny(microRub)) return kopecks.format(toWireRub(roundToKopeck(microRub)))
  const least = `<${kopecks.format(toWireRub(KOPECK))}`
  return microRub < 0n ? `-${least}` : least
}

/** Writes an estimate with a space that no line break splits: `≈ ₽12.34`. Nothing, and less than a kopeck, have no sign. */
export function formatAbout(microRub: bigint, languageCode: string | undefined): string {
  const amount = formatMoney(microRub, languageCode)
  return microRub === 0n || isTiny(microRub) ? amount : `≈\u00a0${amount}`
}

/** Writes an amount to the micro-rouble: `₽12.340000`. */
export function formatExactMoney(microRub: bigint, languageCode: string | undefined): string {
  const exact = { ...ROUBLES, minimumFractionDigits: 6 }
  return new Intl.NumberFormat(toLanguage(languageCode), exact).format(toWireRub(microRub))
}

/** Rounds half away from zero. */
function roundToKopeck(microRub: bigint): bigint {
  const half = microRub < 0n ? -KOPECK / 2n : KOPECK / 2n
  return ((microRub + half) / KOPECK) * KOPECK
}

function isTiny(microRub: bigint): boolean {
  return microRub !== 0n && microRub < KOPECK && microRub > -KOPECK
}

/**
 * Rounds the lines with the largest rests up, so that the shown amounts add up to the shown sum.
 * A line or sum of less than a kopeck is `<₽0.01` and counts as 0.00.
 */
export function formatSum(
  linesMicroRub: readonly bigint[],
  languageCode: string | undefined,
): { lines: string[]; sum: string } {
  const sumMicroRub = linesMicroRub.reduce((sum, line) => sum + line, 0n)
  const lines = roundLines(linesMicroRub, sumMicroRub).map((rounded, index) => {
    const exact = linesMicroRub[index] ?? 0n
    return formatMoney(rounded === 0n && isTiny(exact) ? exact : rounded, languageCode)
  })
  return { lines, sum: formatMoney(sumMicroRub, languageCode) }
}

function roundLines(linesMicroRub: readonly bigint[], sumMicroRub: bigint): bigint[] {
  const floored = linesMicroRub.map((microRub, index) => {
    const rest = ((microRub % KOPECK) + KOPECK) % KOPECK
    return { index, rest, rounded: microRub - rest }
  })
  const shown = isTiny(sumMicroRub) ? 0n : roundToKopeck(sumMicroRub)
  const missing = shown - floored.reduce((total, { rounded }) => total + rounded, 0n)
  const raised = new Set(
    floored
      .toSorted((one, other) => Number(other.rest - one.rest))
      .slice(0, Number(missing / KOPECK))
      .map(({ index }) => index),
  )
  return floored.map(({ index, rounded }) => (raised.has(index) ? rounded + KOPECK : rounded))
}

/** Reads an amount as people type it: `5`, `2.50`, `2,50 ₽`, `₽200`. Undefined if it is no amount, or below zero. */
export function parseMoney(text: string): bigint | undefined {
  const microRub = parseRub(text.replace(/^₽\s*|\s*₽$/g, '').replace(',', '.'))
  return microRub === undefined || microRub < 0n ? undefined : microRub
}
