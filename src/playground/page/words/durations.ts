import { language } from './language.ts'

/** Writes how long something took: `312 ms`, `1.24 s`. */
export function formatDuration(ms: number): string {
  const [value, unit, maximumFractionDigits] =
    ms < 1_000
      ? ([Math.round(ms), 'millisecond', 0] as const)
      : ([ms / 1_000, 'second', ms < 10_000 ? 2 : 1] as const)
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    maximumFractionDigits,
  }).format(value)
}

/** Writes a time of day to the thousandth of a second: `14:05:09.120`. */
export function formatPreciseTime(unixMs: number): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }).format(unixMs)
}
