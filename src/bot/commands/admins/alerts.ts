import type { AlertSettings, AlertSettingValues } from '../../alerts/alert-settings.ts'
import { formatMoney, parseMoney } from '../../spend/format.ts'
import type { CommandDefinition } from '../command.ts'
import { answerStep, type Step, type StepReader } from '../steps.ts'
import { type OfferedValues, valuePresses, wordButtons } from './offered-values.ts'

const DAYS_MAX = 365
const TIMES_MAX = 100
const HOUR_MAX = 23
/** The highest amount, as for a limit. */
const BALANCE_MAX_MICRO_RUB = 10n ** 15n

const OFF = 'off'
const MICRO_RUB_PER_RUB = 1_000_000n

/** Reads the setting of a value; undefined where it makes no sense. */
type ParseChange = (value: string) => Partial<AlertSettingValues> | undefined

/** The settings by the word that follows the name of the command. */
const CHANGES: ReadonlyMap<string, ParseChange> = new Map<string, ParseChange>([
  ['balance', orOff('balanceBelowMicroRub', parseBalance)],
  ['days', orOff('daysLeftBelow', (text) => parseWhole(text, { min: 1, max: DAYS_MAX }))],
  ['times', orOff('unusualTimes', (text) => parseWhole(text, { min: 2, max: TIMES_MAX }))],
  ['failures', onOrOff],
  ['digest', orOff('digestHour', (text) => parseWhole(text, { min: 0, max: HOUR_MAX }))],
])

export interface AlertsDeps {
  alertSettings: AlertSettings
}

const OFFERED: OfferedValues<AlertsDeps> = {
  command: 'alerts',
  values: {
    balance: ['100', '500', '1000', '5000', OFF],
    days: ['1', '3', '7', OFF],
    times: ['3', '5', '10', OFF],
    failures: ['on', OFF],
    digest: ['8', '10', '20', OFF],
  },
  async read({ alertSettings }) {
    const alerts = await alertSettings.read()
    const { balanceBelowMicroRub, daysLeftBelow, unusualTimes, digestHour } = alerts
    return {
      balance: written(balanceBelowMicroRub && balanceBelowMicroRub / MICRO_RUB_PER_RUB),
      days: written(daysLeftBelow),
      times: written(unusualTimes),
      failures: alerts.serviceFailures ? 'on' : OFF,
      digest: written(digestHour),
    }
  },
  async set({ alertSettings }, { word, value }, by) {
    const change = CHANGES.get(word)?.(value)
    if (change !== undefined) await alertSettings.set(change, by)
  },
  hint: (word, t) => t(`alerts-usage-${word}`),
  label(word, value, { user, t }) {
    if (value === OFF || value === 'on') return t(`value-${value}`)
    switch (word) {
      case 'balance':
        return formatMoney(BigInt(value) * MICRO_RUB_PER_RUB, user.languageCode)
      case 'days':
        return t('value-days', { days: Number(value) })
      case 'digest':
        return hourText(Number(value))
      default:
        return `${value}×`
    }
  },
}

/** Shows and changes what admins are notified of. */
export const alertsStep: Step<AlertsDeps> = {
  of: 'admin',
  name: 'alerts',
  isOwn: false,
  state: async () => ({}),
  async view({ alertSettings }, reader) {
    return {
      text: describe(await alertSettings.read(), reader),
      buttons: wordButtons(OFFERED, reader.t),
    }
  },
}

/** Shows admins which alerts they get, and lets them change that. */
export const alertsCommand: CommandDefinition<AlertsDeps> = {
  name: 'alerts',
  audience: 'admins',
  usage: '[balance|days|times|failures|digest] [value|off]',
  create: (deps) => ({
    async handle(command) {
      const { argument, user, t, answer } = command
      if (argument !== '') {
        const [word = '', ...rest] = argument.toLowerCase().split(/\s+/)
        const parse = CHANGES.get(word)
        if (parse === undefined) return answer(t('alerts-usage'))
        const change = parse(rest.join(' '))
        if (change === undefined) return answer(t(`alerts-usage-${word}`))
        await deps.alertSettings.set(change, { adminId: user.id })
      }
      await answerStep(alertsStep, deps, command)
    },
    presses: [valuePresses(OFFERED, alertsStep, deps)],
  }),
}

function describe(alerts: AlertSettingValues, { user, t }: StepReader): string {
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

/** Writes a value as it is typed. */
function written(value: bigint | number | undefined): string {
  return value === undefined ? OFF : String(value)
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
