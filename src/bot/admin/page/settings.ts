/** Settings: what admins are alerted of, when the digest comes, and the rules for orders. */
import {
  ALERTS,
  ORDER_RULES,
  readSetting,
  readSettings,
  type Setting,
  type SettingValues,
  storeSettings,
} from '../settings.ts'
import { field, form, saveRow, seen, select } from './forms.ts'
import { type Html, html } from './html.ts'
import { frame, sectionName } from './layout.ts'
import type { View, Visit } from './visit.ts'

const FORM = 'settings'

export const settings: View = {
  async show(visit) {
    const values = await readSettings(visit.page)
    return frame(visit, {
      title: sectionName(visit, 'settings'),
      back: 'more',
      content: form(visit, FORM, [
        html`<div class="grid">
          ${group(visit, 'alerts', ALERTS, values)}
          ${group(visit, 'orders', ORDER_RULES, values)}
        </div>`,
        visit.canChange && saveRow(visit, FORM),
      ]),
    })
  },

  /** Stores what differs from what the reader saw: another admin's changes stay. */
  async save(visit, fields) {
    const { page, visitor, language } = visit
    const values = await readSettings(page)
    const problems: Record<string, string> = {}
    const change: Partial<SettingValues> = {}
    for (const setting of [...ALERTS, ...ORDER_RULES]) {
      const { name } = setting
      const read = readSetting(setting, fields.get(name) ?? '', language)
      if (Array.isArray(read)) {
        problems[name] = visit.t(...read)
        continue
      }
      const wanted = setting.write({ ...values, ...read }, language)
      const [now, before] = [setting.write(values, language), fields.get(`seen-${name}`)]
      if (wanted === before || wanted === now) continue
      if (now === before) Object.assign(change, read)
      else problems[name] = visit.t('page-changed-meanwhile', { value: now || visit.t('page-off') })
    }
    if (Object.keys(problems).length > 0) return problems
    await storeSettings(page, change, { adminId: visitor.userId })
    return {}
  },
}

function group(visit: Visit, name: string, group: readonly Setting[], values: SettingValues): Html {
  return html`<section class="card stack">
    <h2>${visit.t('page-settings', { group: name })}</h2>
    <p class="hint">${visit.t('page-settings-hint', { group: name })}</p>
    ${group.map((setting) => settingField(visit, setting, values))}
  </section>`
}

function settingField(visit: Visit, setting: Setting, values: SettingValues) {
  const { name, bounds, choices } = setting
  const value = setting.write(values, visit.language)
  const { timeZone } = visit.page.settings
  const label = visit.t('page-setting', { name, timeZone })
  const options = choices?.map((choice) => [choice, choiceText(visit, choice)] as const)
  const hint = visit.t('page-setting-hint', { name })
  const mode = bounds === undefined ? 'decimal' : 'numeric'
  return [
    seen(name, value),
    options === undefined
      ? field(visit, FORM, { name, label, value, mode, hint })
      : select(visit, FORM, { name, label, value, options }),
  ]
}

function choiceText(visit: Visit, choice: string): string {
  if (choice === 'on' || choice === 'off') return visit.t('page-on-or-off', { state: choice })
  return choice === '' ? visit.t('page-no-digest') : `${choice.padStart(2, '0')}:00`
}
