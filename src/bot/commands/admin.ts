import { readSetting, writeSetting } from '../admin/settings.ts'
import { SETTINGS, type StoredSettings } from '../stored-settings.ts'
import { toLanguage } from '../texts/texts.ts'
import type { Command, CommandDefinition } from './command.ts'

const OFF = 'off'

interface AdminApp {
  storedSettings: StoredSettings
  timeZone: string
}

/** Shows admins the settings of alerts, orders and answers, and changes one: `/admin NAME VALUE`. */
export const adminCommand: CommandDefinition<AdminApp> = {
  name: 'admin',
  audience: 'admins',
  usage: '[name value|off]',
  async handle(app, command) {
    const { argument, user, t, answer } = command
    const [name = '', ...words] = argument.toLowerCase().split(/\s+/)
    const typed = words.join(' ')
    if (name !== '') {
      const setting = SETTINGS.find((one) => one.name === name)
      if (setting === undefined || typed === '') return answer(t('admin-usage'))
      const text = typed === OFF && setting.canBeOff ? '' : typed
      const change = readSetting(setting, text, toLanguage(user.languageCode))
      if (Array.isArray(change)) return answer(`${t(...change)}\n${t('admin-usage')}`)
      await app.storedSettings.set(change, { adminId: user.id })
    }
    await answer(await describe(app, command))
  },
}

async function describe(app: AdminApp, { user, t }: Command): Promise<string> {
  const values = await app.storedSettings.read()
  const lines = SETTINGS.map((setting) => {
    const { name } = setting
    const label = t('page-setting', { name, timeZone: app.timeZone })
    return t('admin-setting', {
      name,
      label,
      value: writeSetting(setting, values, toLanguage(user.languageCode)) || OFF,
    })
  })
  return [t('admin-settings'), lines.join('\n'), t('admin-usage')].join('\n\n')
}
