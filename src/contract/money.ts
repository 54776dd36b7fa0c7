/** Micro-roubles in a rouble. Money is a bigint of micro-roubles everywhere but on the wire and on a screen. */
const MICRO_RUB_PER_RUB = 1_000_000n

const DECIMAL_ROUBLES = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/

/**
 * Reads roubles written as a decimal with at most six digits after the point, exactly.
 *
 * @returns Micro-roubles, or undefined if the text is not such a decimal.
 */
export function parseRub(text: string): bigint | undefined {
  const match = DECIMAL_ROUBLES.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '0', fraction = ''] = match
  const microRub = BigInt(whole) * MICRO_RUB_PER_RUB + BigInt(fraction.padEnd(6, '0'))
  return sign === '-' ? -microRub : microRub
}

/** Writes micro-roubles as a decimal without trailing zeros: `1500000n` is `"1.5"`. */
export function formatRub(microRub: bigint): string {
  const absolute = microRub < 0n ? -microRub : microRub
  const whole = absolute / MICRO_RUB_PER_RUB
  const fraction = (absolute % MICRO_RUB_PER_RUB).toString().padStart(6, '0').replace(/0+$/, '')
  return `${microRub < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** The wire's roubles: the double nearest to the decimal. Exact to a micro-rouble up to 4 billion roubles. */
export function toWireRub(microRub: bigint): number {
  return Number(formatRub(microRub))
}

/** Reads the wire's roubles back, to the nearest micro-rouble. */
export function fromWireRub(rub: number): bigint {
  return BigInt(Math.round(rub * 1e6))
}
