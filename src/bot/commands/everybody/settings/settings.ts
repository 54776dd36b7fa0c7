import type { InlineKeyboardButton } from 'grammy/types'
import type { CommandDefinition } from '../../command.ts'
import { type SystemApp, systemStep } from '../../conversations/instruction.ts'
import { editStep, SETTINGS, type Step, type StepReader } from '../../steps.ts'
import { type CostNoteDeps, costNoteStep } from './cost-note.ts'
import { type ForgetDeps, forgetStep } from './forget.ts'
import { type FormatDeps, formatStep } from './format.ts'
import { type LanguageDeps, languageStep } from './language.ts'

type SettingsApp = SystemApp & LanguageDeps & FormatDeps & CostNoteDeps & ForgetDeps

const STEPS: readonly Step<SettingsApp>[] = [
  systemStep,
  languageStep,
  formatStep,
  costNoteStep,
  forgetStep,
]

/** Shows what a user can set, in a group what holds for all of it: one message, in which buttons lead to each and back. */
export const settingsCommand: CommandDefinition<SettingsApp> = {
  name: 'settings',
  audience: 'everybody',
  listed: 'in_private',
  async handle(app, command) {
    const { text, keyboard } = await overview(app, command)
    await command.answer(text, { keyboard })
  },
  presses: [
    {
      data: SETTINGS,
      async press(app, press) {
        await press.notify()
        const { text, keyboard } = await overview(app, press)
        await press.edit(text, { keyboard })
      },
    },
    {
      data: new RegExp(`^${SETTINGS}:(\\w+)$`),
      async press(app, press) {
        const step = shownTo(press).find(({ name }) => name === press.match[1])
        if (step === undefined) return press.notify(press.t('button-stale'))
        await press.notify()
        await editStep(step, app, press)
      },
    },
  ],
}

async function overview(app: SettingsApp, reader: StepReader) {
  const { chatId, t } = reader
  const rows: InlineKeyboardButton[][] = []
  for (const step of shownTo(reader)) {
    const text = t(`step-${step.name}`, await step.state(app, reader))
    rows.push([{ text, callback_data: `${SETTINGS}:${step.name}` }])
  }
  const text = t('steps-settings', { place: chatId < 0 ? 'group' : 'private' })
  return { text, keyboard: { inline_keyboard: rows } }
}

function shownTo({ chatId }: StepReader): readonly Step<SettingsApp>[] {
  return STEPS.filter(({ isOwn }) => chatId > 0 || !isOwn)
}
