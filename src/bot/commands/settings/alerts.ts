import type { AlertSettings, AlertSettingValues } from '../../alerts/alert-settings.ts'
import { formatMoney, parseMoney } from '../../spend/format.ts'
import type { Command, CommandDefinition } from '../command.ts'

const DAYS_MAX = 365
const TIMES_MAX = 100
const HOUR_MAX = 23
const BALANCE_MAX_MICRO_RUB = 10n ** 15n

const OFF = 'off'

type ParseChange = (value: string) => Partial<AlertSettingValues> | undefined

const CHANGES: ReadonlyMap<string, ParseChange> = new Map<string, ParseChange>([
  ['balance', orOff('balanceBelowMicroRub', parseBalance)],
  ['days', orOff('daysLeftBelow', (text) => parseWhole(text, { min: 1, max: DAYS_MAX }))],
  ['times', orOff('unusualTimes', (text) => parseWhole(text, { min: 2, max: TIMES_MAX }))],
  ['failures', onOrOff],
  ['digest', orOff('digestHour', (text) => parseWhole(text, { min: 0, max: HOUR_MAX }))],
])

interface AlertsApp {
  alertSettings: AlertSettings
}

/** Shows admins which alerts they get, and lets them change that. */
export const alertsCommand: CommandDefinition<AlertsApp> = {
  name: 'alerts',
  audience: 'admins',
  usage: '[balance|days|times|failures|digest] [value|off]',
  async handle(app, command) {
    const { argument, user, t, answer } = command
    if (argument !== '') {
      const [word = '', ...rest] = argument.toLowerCase().split(/\s+/)
      const parse = CHANGES.get(word)
      if (parse === undefined) return answer(t('alerts-usage'))
      const change = parse(rest.join(' '))
      if (change === undefined) return answer(t(`alerts-usage-${word}`))
      await app.alertSettings.set(change, { adminId: user.id })
    }
    await answer(describe(await app.alertSettings.read(), command))
  },
}

function describe(alerts: AlertSettingValues, { user, t }: Command): string {
  const { balanceBelowMicroRub, daysLeftBelow, unusualTimes, digestHour } = alerts
  const lines = [
    balanceBelowMicroRub === undefined
      ? t('alerts-balance-off')
      : t('alerts-balance', { amount: formatMoney(balanceBelowMicroRub, user.languageCode) }),
    daysLeftBelow === undefined ? t('alerts-days-off') : t('alerts-days', { days: daysLeftBelow }),
    unusualTimes === undefined ? t('alerts-times-off') : t('alerts-times', { times: unusualTimes }),
    t(alerts.serviceFailures ? 'alerts-failures' : 'alerts-failures-off'),
    digestHour === undefined
      ? t('alerts-digest-off')
      : t('alerts-digest', { hour: hourText(digestHour) }),
  ]
  return [t('alerts-head'), lines.join('\n')].join('\n\n')
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}

function orOff<Key extends keyof AlertSettingValues>(
  key: Key,
  parse: (text: string) => NonNullable<AlertSettingValues[Key]> | undefined,
) {
  return (text: string): Partial<AlertSettingValues> | undefined => {
    if (text === OFF) return { [key]: undefined }
    const value = parse(text)
    return value === undefined ? undefined : { [key]: value }
  }
}

function onOrOff(text: string): Partial<AlertSettingValues> | undefined {
  return text === 'on' || text === OFF ? { serviceFailures: text === 'on' } : undefined
}

function parseBalance(text: string): bigint | undefined {
  const microRub = parseMoney(text)
  return microRub === undefined || microRub > BALANCE_MAX_MICRO_RUB ? undefined : microRub
}

function parseWhole(text: string, { min, max }: { min: number; max: number }): number | undefined {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}
