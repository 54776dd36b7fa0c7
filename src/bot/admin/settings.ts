/** The settings that admins change while the bot runs, as `/admin` and the page show and read them. */

import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { MediaRules, MediaRuleValues } from '../media/rules.ts'
import { parseMoney } from '../spend/format.ts'
import { LIMIT_MICRO_RUB_MAX } from '../spend/limits.ts'
import type { Language } from '../texts/texts.ts'
import type { AlertSettings, AlertSettingValues } from './alert-settings.ts'

const MINUTE_MS = 60_000
const ON_OR_OFF = ['on', 'off']
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour))

export interface SettingStores {
  prisma: Pick<PrismaClient, '$transaction'>
  alertSettings: AlertSettings
  mediaRules: MediaRules
}

export type SettingValues = AlertSettingValues & MediaRuleValues

/** One setting. An empty text stands for "off", which only some can be. */
export interface Setting {
  name: string
  /** An amount of roubles if there are no bounds and no choices. */
  bounds?: { min: number; max: number }
  choices?: readonly string[]
  canBeOff: boolean
  /** Writes the value as it is typed. */
  write(values: SettingValues, language: Language): string
  toChange(value: bigint | number | string | null): Partial<SettingValues>
}

export const ALERTS: readonly Setting[] = [
  {
    name: 'balance',
    canBeOff: true,
    write: ({ balanceBelowMicroRub }, language) => writeAmount(balanceBelowMicroRub, language),
    toChange: (value) => ({ balanceBelowMicroRub: value === null ? undefined : BigInt(value) }),
  },
  whole('days', 'daysLeftBelow', { min: 1, max: 365 }),
  whole('times', 'unusualTimes', { min: 2, max: 100 }),
  {
    name: 'failures',
    choices: ON_OR_OFF,
    canBeOff: false,
    write: ({ serviceFailures }) => (serviceFailures ? 'on' : 'off'),
    toChange: (value) => ({ serviceFailures: value === 'on' }),
  },
  { ...whole('digest', 'digestHour', { min: 0, max: 23 }), choices: ['', ...HOURS] },
]

export const ORDER_RULES: readonly Setting[] = [
  {
    name: 'confirm',
    canBeOff: false,
    write: ({ confirmFromMicroRub }, language) => writeAmount(confirmFromMicroRub, language),
    toChange: (value) => ({ confirmFromMicroRub: BigInt(value ?? 0) }),
  },
  { ...whole('parallel', 'parallelMax', { min: 1, max: 100 }), canBeOff: false },
  {
    name: 'deadline',
    bounds: { min: 1, max: 24 * 60 },
    canBeOff: false,
    write: ({ deadlineMs }) => String(deadlineMs / MINUTE_MS),
    toChange: (value) => ({ deadlineMs: Number(value) * MINUTE_MS }),
  },
]

/** A text of the problem with what was typed, and its variables. */
export type SettingProblem = [key: string, variables?: { min: number; max: number }]

export async function readSettings(stores: SettingStores): Promise<SettingValues> {
  const [alerts, rules] = await Promise.all([stores.alertSettings.read(), stores.mediaRules.read()])
  return { ...alerts, ...rules }
}

/** @throws {ChangedMeanwhileError} If a value is not the one that was seen: nothing is stored. */
export async function storeSettings(
  { prisma, alertSettings, mediaRules }: SettingStores,
  change: Partial<SettingValues>,
  by: { adminId: number; seen?: Partial<SettingValues> },
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await alertSettings.setIn(tx, change, by)
    await mediaRules.setIn(tx, change, by)
  })
}

/** Reads the typed value of a setting. */
export function readSetting(
  setting: Setting,
  typed: string,
  language: Language,
): Partial<SettingValues> | SettingProblem {
  const { bounds, choices, canBeOff, toChange } = setting
  if (bounds !== undefined) {
    const value = readWhole(typed, bounds)
    if (value === undefined || (value === null && !canBeOff))
      return ['page-number-malformed', bounds]
    return toChange(value)
  }
  if (choices !== undefined) return choices.includes(typed) ? toChange(typed) : ['page-invalid']
  const amount = readAmount(typed, language)
  if (typeof amount === 'string') return [amount]
  return amount === null && !canBeOff ? ['page-amount-malformed'] : toChange(amount)
}

/** Writes an amount as it is typed: `2,5`, without a currency or groups. */
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
  // 1,000 is a thousand to an English reader, and one to a Russian: better asked than guessed.
  if (language === 'en' && /^\d{1,3}(,\d{3})+$/.test(text)) return 'page-amount-malformed'
  if (!/^-?\d{1,40}([.,]\d{0,6})?$/.test(text)) return 'page-amount-malformed'
  if (text.startsWith('-') && /[1-9]/.test(text)) return 'page-amount-negative'
  const [whole = '', fraction = ''] = text.replace('-', '').split(/[.,]/)
  const microRub = parseMoney(`${whole.replace(/^0+(?=\d)/, '')}.${fraction || '0'}`)
  if (microRub !== undefined && microRub <= LIMIT_MICRO_RUB_MAX) return microRub
  return 'page-amount-huge'
}

/** @returns Null for an empty text; undefined if it is no whole number within the bounds. */
function readWhole(
  typed: string,
  { min, max }: { min: number; max: number },
): number | null | undefined {
  const text = typed.trim()
  if (text === '') return null
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

function whole(
  name: string,
  key: 'daysLeftBelow' | 'unusualTimes' | 'digestHour' | 'parallelMax',
  bounds: { min: number; max: number },
): Setting {
  return {
    name,
    bounds,
    canBeOff: true,
    write: (values) => String(values[key] ?? ''),
    toChange: (value) => ({ [key]: value === null ? undefined : Number(value) }),
  }
}
