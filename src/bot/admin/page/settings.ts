/** Settings: alerts of admins, the hour of the digest, and the rules for orders. */

import { ChangedMeanwhileError } from '../../change-log.ts'
import type { Setting, SettingValues } from '../../stored-settings.ts'
import { ALERTS, ORDER_RULES, readSetting, writeSetting } from '../settings.ts'
import { field, form, hidden, savedMark, saveRow } from './forms.ts'
import { type Html, html } from './html.ts'
import { card, frame, sectionName } from './layout.ts'
import type { View, Visit } from './visit.ts'

const FORM = 'settings'
const SHOWN = [...ALERTS, ...ORDER_RULES]

export const settings: View = {
  async show(visit) {
    const values = await visit.page.storedSettings.read()
    return frame(visit, {
      title: sectionName(visit, 'settings'),
      back: 'more',
      content: form(visit, FORM, [
        html`<div class="cards">
          ${group(visit, 'alerts', ALERTS, values)}
          ${group(visit, 'orders', ORDER_RULES, values)}
        </div>`,
        visit.canChange && saveRow(visit, savedMark(visit, FORM)),
      ]),
    })
  },

  /** Stores only values that the reader changed: another admin's changes stay. */
  async save(visit, fields) {
    const { page, visitor, language } = visit
    const problems: Record<string, string> = {}
    const wanted: Partial<SettingValues> = {}
    const seen: Partial<SettingValues> = {}
    for (const setting of SHOWN) {
      const { name } = setting
      const read = readSetting(setting, fields.get(name) ?? '', language)
      const shown = readSetting(setting, fields.get(`seen-${name}`) ?? '', language)
      if (Array.isArray(read)) problems[name] = visit.t(...read)
      else if (Array.isArray(shown)) problems[name] = visit.t('page-invalid')
      else if (fields.get(name) !== fields.get(`seen-${name}`)) {
        Object.assign(wanted, read)
        Object.assign(seen, shown)
      }
    }
    if (Object.keys(problems).length > 0) return problems
    try {
      await page.storedSettings.set(wanted, { adminId: visitor.userId, seen })
      return {}
    } catch (error) {
      if (!(error instanceof ChangedMeanwhileError)) throw error
      const values = await page.storedSettings.read()
      const changed = SHOWN.find(({ row }) => error.what === `setting:${row}`)
      const value = (changed && writeSetting(changed, values, language)) || visit.t('page-off')
      return { [changed?.name ?? '']: visit.t('page-changed-meanwhile', { value }) }
    }
  },
}

function group(visit: Visit, name: string, group: readonly Setting[], values: SettingValues): Html {
  const fields = group.map((setting) => settingField(visit, setting, values))
  const hint = visit.t('page-settings-hint', { group: name })
  return card(visit.t('page-settings', { group: name }), fields, { hint })
}

function settingField(visit: Visit, setting: Setting, values: SettingValues): Html {
  const { name, bounds, choices } = setting
  const value = writeSetting(setting, values, visit.language)
  const { timeZone } = visit.page.settings
  const label = visit.t('page-setting', { name, timeZone })
  const options = choices?.map((choice) => [choice, choiceText(visit, choice)] as const)
  const hint = options ? {} : { hint: visit.t('page-setting-hint', { name }) }
  const mode = bounds === undefined ? 'decimal' : 'numeric'
  return html`${hidden(`seen-${name}`, value)}
    ${field(visit, FORM, { name, label, value, mode, options, ...hint })}`
}

function choiceText(visit: Visit, choice: string): string {
  if (choice === 'on' || choice === 'off') return visit.t('page-on-or-off', { state: choice })
  return choice === '' ? visit.t('page-no-digest') : `${choice.padStart(2, '0')}:00`
}
