import { language } from './language.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const

/** Writes a size as Telegram's clients do, by 1,024: `12.4 MB`. */
export function formatSize(bytes: number): string {
  const power = bytes < 1_024 ? 0 : bytes < 1_048_576 ? 1 : 2
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    maximumFractionDigits: power === 2 ? 1 : 0,
  }).format(bytes / 1_024 ** power)
}
