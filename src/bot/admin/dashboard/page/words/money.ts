import type { MicroRub } from '../../api.ts'
import { language } from './language.ts'

const MICRO_RUB_PER_RUB = 1_000_000n
const MICRO_RUB_PER_KOPECK = 10_000n

const MICRO_RUB_MAX = 10n ** 15n

const ROUBLES = { style: 'currency', currency: 'RUB', currencyDisplay: 'narrowSymbol' } as const

/**
 * Writes an amount as its reader does: `₽12.34`, `12,34 ₽`, and `<₽0.01` where it is less than a kopeck and not
 * nothing. The page's counterpart of formatMoney() in spend/format.ts.
 */
export function formatMoney(amount: MicroRub | bigint): string {
  const microRub = BigInt(amount)
  const format = new Intl.NumberFormat(language.value, ROUBLES)
  if (!isTiny(microRub)) return format.format(toRub(microRub))
  return `${microRub < 0n ? '-' : ''}<${format.format(0.01)}`
}

/** Writes an amount to the last millionth: `₽0.000000`. */
export function formatExactly(amount: MicroRub): string {
  const digits = { minimumFractionDigits: 6, maximumFractionDigits: 6 }
  const format = new Intl.NumberFormat(language.value, { ...ROUBLES, ...digits })
  return format.format(toRub(BigInt(amount)))
}

/** Writes an amount as it stands in a field: `2,5`, without a currency or groups. */
export function toField(amount: MicroRub | null): string {
  if (amount === null) return ''
  const style = { useGrouping: false, maximumFractionDigits: 6 }
  return new Intl.NumberFormat(language.value, style).format(toRub(BigInt(amount)))
}

export type AmountFault = 'malformed' | 'negative' | 'huge'

/**
 * Reads an amount as people type it: `5`, `2,50`, `1 000 ₽`, `₽200`.
 *
 * @returns Null for an empty field; why it is no amount where it is none.
 */
export function parseAmount(text: string): MicroRub | null | AmountFault {
  const typed = text
    .replaceAll(/[\s\u00a0\u202f₽]/g, '')
    .replace(/[−–]/, '-')
    .replace(',', '.')
  if (typed === '') return null
  // 1,000 is a thousand to an English reader, and one to a Russian: better asked than guessed.
  if (language.value === 'en' && /^\d{1,3}(\s?,\d{3})+$/.test(text.trim())) return 'malformed'
  const parts = /^(-?)(\d{1,40})(?:\.(\d{0,6}))?$/.exec(typed)
  if (parts === null) return 'malformed'
  const [, sign, whole = '', decimals = ''] = parts
  const microRub = BigInt(whole) * MICRO_RUB_PER_RUB + BigInt(decimals.padEnd(6, '0'))
  if (sign === '-' && microRub > 0n) return 'negative'
  return microRub > MICRO_RUB_MAX ? 'huge' : String(microRub)
}

/**
 * Writes the parts of a sum, rounded to kopecks so that what is shown adds up to the sum as it is shown: the
 * parts that lost most by rounding down are rounded up. One of less than a kopeck that was not counts as none.
 */
export function formatParts(parts: readonly MicroRub[]): string[] {
  const exact = parts.map(BigInt)
  const rounded = exact.map((part) => part - mod(part))
  const sum = exact.reduce((one, other) => one + other, 0n)
  const shown = isTiny(sum) ? 0n : sum + MICRO_RUB_PER_KOPECK / 2n
  const missing = shown - mod(shown) - rounded.reduce((one, other) => one + other, 0n)
  const ups = exact
    .map((part, index) => ({ index, lost: mod(part) }))
    .sort((one, other) => Number(other.lost - one.lost))
    .slice(0, Number(missing / MICRO_RUB_PER_KOPECK))
  for (const { index } of ups) rounded[index] = (rounded[index] ?? 0n) + MICRO_RUB_PER_KOPECK
  return exact.map((part, index) => {
    const shownPart = rounded[index] ?? 0n
    return formatMoney(shownPart === 0n && isTiny(part) ? part : shownPart)
  })
}

function toRub(microRub: MicroRub | bigint): number {
  return Number(microRub) / Number(MICRO_RUB_PER_RUB)
}

/** How much of a sum a part is, from 0 to 1; of a sum that is nothing, 0. */
export function shareOf(part: MicroRub | bigint, sum: MicroRub | bigint): number {
  return Number(sum) <= 0 ? 0 : Math.min(1, Math.max(0, Number(part) / Number(sum)))
}

function isTiny(microRub: bigint): boolean {
  return microRub !== 0n && microRub < MICRO_RUB_PER_KOPECK && microRub > -MICRO_RUB_PER_KOPECK
}

/** Returns the part above a whole kopeck, also below zero. */
function mod(microRub: bigint): bigint {
  return ((microRub % MICRO_RUB_PER_KOPECK) + MICRO_RUB_PER_KOPECK) % MICRO_RUB_PER_KOPECK
}
