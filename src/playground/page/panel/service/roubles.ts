const MICRO_DIGITS = 6

/** Reads decimal roubles as whole millionths, so that sums are exact. */
export function parseRoubles(decimal: string | undefined): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal ?? '')
  if (match === null) return 0n
  const [, sign, whole = '0', part = ''] = match
  const micro = BigInt(whole + part.slice(0, MICRO_DIGITS).padEnd(MICRO_DIGITS, '0'))
  return sign === '-' ? -micro : micro
}

/** Shows millionths of a rouble with at least two digits after the point, and no zero more than it needs. */
export function formatRoubles(micro: bigint, language: string): string {
  const digits = String(micro < 0n ? -micro : micro).padStart(MICRO_DIGITS + 1, '0')
  const part = digits.slice(-MICRO_DIGITS).replace(/0{1,4}$/, '')
  const whole = new Intl.NumberFormat(language).format(BigInt(digits.slice(0, -MICRO_DIGITS)))
  const point = language === 'ru' ? ',' : '.'
  return `${micro < 0n ? '−' : ''}${whole}${point}${part} ₽`
}
