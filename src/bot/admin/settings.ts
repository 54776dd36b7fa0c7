/** Reads and shows the stored settings, for `/admin` and the page. */
import { parseMoney } from '../spend/format.ts'
import { LIMIT_MICRO_RUB_MAX } from '../spend/limits.ts'
import { SETTINGS, type Setting, type SettingValues } from '../stored-settings.ts'
import type { Language } from '../texts/texts.ts'

export const ALERTS = SETTINGS.filter(({ group }) => group === 'alerts')
export const ORDER_RULES = SETTINGS.filter(({ group }) => group === 'orders')

/** The key of a problem's text, and its variables. */
export type SettingProblem = [key: string, variables?: { min: number; max: number }]

/** Reads the typed value of a setting. An empty text means "off", which only some settings can be. */
export function readSetting(
  setting: Setting,
  typed: string,
  language: Language,
): Partial<SettingValues> | SettingProblem {
  const { key, bounds, choices, canBeOff, parse } = setting
  const text = typed.trim()
  if (text === '' && canBeOff) return { [key]: undefined }
  if (bounds !== undefined) {
    const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
    const isWithin = number >= bounds.min && number <= bounds.max
    return isWithin ? { [key]: parse(String(number)) } : ['page-number-malformed', bounds]
  }
  if (choices !== undefined)
    return choices.includes(text) ? { [key]: parse(text) } : ['page-invalid']
  const amount = readAmount(typed, language)
  if (amount === null) return ['page-amount-malformed']
  return typeof amount === 'string' ? [amount] : { [key]: amount }
}

export function writeSetting(
  { key, format }: Setting,
  values: SettingValues,
  language: Language,
): string {
  const value = values[key]
  if (typeof value === 'bigint') return writeAmount(value, language)
  return value === undefined ? '' : format(value)
}

/** Writes an amount as users type it: `2,5`, without a currency or groups. */
export function writeAmount(microRub: bigint | null | undefined, language: Language): string {
  if (microRub === null || microRub === undefined) return ''
  const style = { useGrouping: false, maximumFractionDigits: 6 }
  return new Intl.NumberFormat(language, style).format(Number(microRub) / 1e6)
}

/**
 * Reads an amount as people type it: `5`, `2,50`, `1 000 ₽`, `₽200`.
 *
 * @returns Null for an empty text; the key of a sentence if it is no amount.
 */
export function readAmount(typed: string, language: Language): bigint | null | string {
  const text = typed.replaceAll(/[\s\u00a0\u202f₽]/g, '').replace(/^[−–]/, '-')
  if (text === '') return null
  // 1,000 is a thousand in English and one in Russian: refused as ambiguous.
  if (language === 'en' && /^\d{1,3}(,\d{3})+$/.test(text)) return 'page-amount-malformed'
  if (!/^-?\d{1,40}([.,]\d{0,6})?$/.test(text)) return 'page-amount-malformed'
  if (text.startsWith('-') && /[1-9]/.test(text)) return 'page-amount-negative'
  const [whole = '', fraction = ''] = text.replace('-', '').split(/[.,]/)
  const microRub = parseMoney(`${whole.replace(/^0+(?=\d)/, '')}.${fraction || '0'}`)
  if (microRub !== undefined && microRub <= LIMIT_MICRO_RUB_MAX) return microRub
  return 'page-amount-huge'
}
