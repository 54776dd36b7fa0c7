import { language, words } from './language.ts'

/** Writes how long something took: `312 ms`, `1.24 s`. */
export function formatDuration(ms: number): string {
  const { units } = words.value.panel
  if (ms < 1_000) return `${Math.round(ms)} ${units.ms}`
  const maximumFractionDigits = ms < 10_000 ? 2 : 1
  const seconds = new Intl.NumberFormat(language.value, { maximumFractionDigits })
  return `${seconds.format(ms / 1_000)} ${units.s}`
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
