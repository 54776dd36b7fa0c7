/** Settings: what admins are alerted of, when the digest comes, and the rules for orders. */
import type { AlertSettingValues } from '../../alerts/alert-settings.ts'
import type { Language } from '../../locales/texts.ts'
import type { MediaRuleValues } from '../../media/rules.ts'
import { field, form, readAmount, readWhole, saveRow, seen, select, toField } from './forms.ts'
import { html } from './html.ts'
import { frame, sectionName } from './layout.ts'
import type { View, Visit } from './visit.ts'

const FORM = 'settings'
const MINUTE_MS = 60_000

type Values = AlertSettingValues & MediaRuleValues

/** A setting as its field shows it, and how what is typed there is read: null for an empty field. */
interface Setting {
  name: string
  mode: 'decimal' | 'numeric' | 'choice'
  bounds?: { min: number; max: number }
  canBeOff: boolean
  options?: readonly string[]
  show(values: Values, language: Language): string
  toChange(value: bigint | number | string | null): Partial<Values>
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour))

const ALERTS: readonly Setting[] = [
  {
    name: 'balance',
    mode: 'decimal',
    canBeOff: true,
    show: ({ balanceBelowMicroRub }, language) => toField(balanceBelowMicroRub, language),
    toChange: (value) => ({ balanceBelowMicroRub: value === null ? undefined : BigInt(value) }),
  },
  whole('days', 'daysLeftBelow', { min: 1, max: 365 }),
  whole('times', 'unusualTimes', { min: 2, max: 100 }),
  {
    name: 'failures',
    mode: 'choice',
    canBeOff: false,
    options: ['on', 'off'],
    show: ({ serviceFailures }) => (serviceFailures ? 'on' : 'off'),
    toChange: (value) => ({ serviceFailures: value === 'on' }),
  },
  {
    ...whole('digest', 'digestHour', { min: 0, max: 23 }),
    mode: 'choice',
    options: ['', ...HOURS],
  },
]

const RULES: readonly Setting[] = [
  {
    name: 'confirm',
    mode: 'decimal',
    canBeOff: false,
    show: ({ confirmFromMicroRub }, language) => toField(confirmFromMicroRub, language),
    toChange: (value) => ({ confirmFromMicroRub: BigInt(value ?? 0) }),
  },
  { ...whole('parallel', 'parallelMax', { min: 1, max: 100 }), canBeOff: false },
  {
    name: 'deadline',
    mode: 'numeric',
    bounds: { min: 1, max: 24 * 60 },
    canBeOff: false,
    show: ({ deadlineMs }) => String(deadlineMs / MINUTE_MS),
    toChange: (value) => ({ deadlineMs: Number(value) * MINUTE_MS }),
  },
]

export const settings: View = {
  async show(visit) {
    const values = await readValues(visit)
    return frame(visit, {
      title: sectionName(visit, 'settings'),
      back: 'more',
      content: form(visit, FORM, [
        html`<div class="grid">${group(visit, 'alerts', ALERTS, values)}${group(visit, 'orders', RULES, values)}</div>`,
        visit.canChange && saveRow(visit, FORM),
      ]),
    })
  },

  /** Stores what differs from what the reader saw: another admin's changes stay. */
  async save(visit, fields) {
    const { page, visitor, language } = visit
    const values = await readValues(visit)
    const problems: Record<string, string> = {}
    const changes = [ALERTS, RULES].map((group) => {
      const change: Partial<Values> = {}
      for (const setting of group) {
        const { name } = setting
        const read = readValue(setting, fields.get(name) ?? '', visit)
        if (read.problem !== undefined) {
          problems[name] = read.problem
          continue
        }
        const changed = setting.toChange(read.value)
        const wanted = setting.show({ ...values, ...changed }, language)
        const [now, before] = [setting.show(values, language), fields.get(`seen-${name}`)]
        if (wanted === before || wanted === now) continue
        if (now === before) Object.assign(change, changed)
        else
          problems[name] = visit.t('page-changed-meanwhile', { value: now || visit.t('page-off') })
      }
      return change
    })
    if (Object.keys(problems).length > 0) return problems
    const by = { adminId: visitor.userId }
    const [alerts = {}, rules = {}] = changes
    await page.alertSettings.set(alerts, by)
    await page.mediaRules.set(rules, by)
    return {}
  },
}

async function readValues({ page }: Visit): Promise<Values> {
  const [alerts, rules] = await Promise.all([page.alertSettings.read(), page.mediaRules.read()])
  return { ...alerts, ...rules }
}

function readValue(
  { mode, bounds, canBeOff, options }: Setting,
  typed: string,
  visit: Visit,
): { value: bigint | number | string | null; problem?: undefined } | { problem: string } {
  const malformed = { problem: visit.t('page-number-malformed', { min: 0, max: 0, ...bounds }) }
  if (bounds !== undefined) {
    const value = readWhole(typed, bounds)
    return value === undefined || (value === null && !canBeOff) ? malformed : { value }
  }
  if (mode === 'choice') {
    return options?.includes(typed) ? { value: typed } : { problem: visit.t('page-invalid') }
  }
  const amount = readAmount(typed, visit.language)
  if (typeof amount === 'string') return { problem: visit.t(amount) }
  return amount === null && !canBeOff
    ? { problem: visit.t('page-amount-malformed') }
    : { value: amount }
}

function group(visit: Visit, name: string, settings: readonly Setting[], values: Values) {
  return html`<section class="card stack">
    <h2>${visit.t('page-settings', { group: name })}</h2>
    <p class="hint">${visit.t('page-settings-hint', { group: name })}</p>
    ${settings.map((setting) => settingField(visit, setting, values))}
  </section>`
}

function settingField(visit: Visit, setting: Setting, values: Values) {
  const { name, mode, options = [] } = setting
  const value = setting.show(values, visit.language)
  const { timeZone } = visit.page.settings
  const label = visit.t('page-setting', { name, timeZone })
  const parts = { name, label, value }
  const shown =
    mode === 'choice'
      ? select(visit, FORM, {
          ...parts,
          options: options.map((one) => [one, optionText(visit, one)]),
        })
      : field(visit, FORM, { ...parts, mode, hint: visit.t('page-setting-hint', { name }) })
  return [seen(name, value), shown]
}

function optionText(visit: Visit, option: string): string {
  if (option === 'on' || option === 'off') return visit.t('page-on-or-off', { state: option })
  return option === '' ? visit.t('page-no-digest') : `${option.padStart(2, '0')}:00`
}

/** A setting that is a whole number, or off. */
function whole(
  name: string,
  key: 'daysLeftBelow' | 'unusualTimes' | 'digestHour' | 'parallelMax',
  bounds: { min: number; max: number },
): Setting {
  return {
    name,
    mode: 'numeric',
    bounds,
    canBeOff: true,
    show: (values) => String(values[key] ?? ''),
    toChange: (value) => ({ [key]: value === null ? undefined : Number(value) }),
  }
}
