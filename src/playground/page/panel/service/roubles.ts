const MICRO_DIGITS = 6

/** Reads decimal roubles as whole millionths, so that sums are exact. */
export function parseRoubles(decimal: string | undefined): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal ?? '')
  if (match === null) return 0n
  const [, sign, whole = '0', part = ''] = match
  const micro = BigInt(whole + part.slice(0, MICRO_DIGITS).padEnd(MICRO_DIGITS, '0'))
  return sign === '-' ? -micro : micro
}

/** Shows millionths of a rouble to the last digit that is there, but at least kopecks: `₽0.07965`, `5,00 ₽`. */
export function formatRoubles(micro: bigint, language: string): string {
  const digits = String(micro < 0n ? -micro : micro).padStart(MICRO_DIGITS + 1, '0')
  const kopecks = digits.slice(-MICRO_DIGITS).replace(/0{1,4}$/, '')
  const roubles = BigInt(digits.slice(0, -MICRO_DIGITS))
  const sign = micro < 0n ? '−' : ''
  const sum = `${new Intl.NumberFormat(language).format(roubles)}${language === 'ru' ? ',' : '.'}${kopecks}`
  return language === 'ru' ? `${sign}${sum}\u00a0₽` : `${sign}₽${sum}`
}
