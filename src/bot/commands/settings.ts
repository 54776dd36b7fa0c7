/** `/settings`, `/format` and `/forget`: one message with buttons that lead to each of a user's settings, and back. */
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { AnswerFormat } from '../../platform/database/generated/enums.ts'
import type { EraseOutcome, EraseUser } from '../conversations/erase-user.ts'
import { chooseFormat, readFormat } from '../people/chats.ts'
import type { Command, CommandDefinition } from './command.ts'
import { type CostNoteApp, costNoteStep } from './cost-note.ts'
import { type SystemApp, systemStep } from './instruction.ts'
import { type LanguageApp, languageStep } from './language.ts'
import { answerStep, editStep, SETTINGS_DATA, type Step, valueButton } from './views.ts'

interface FormatApp {
  prisma: Pick<PrismaClient, 'chat'>
}

interface ForgetApp {
  eraseUser: EraseUser
}

type SettingsApp = SystemApp & LanguageApp & FormatApp & CostNoteApp & ForgetApp

/** All three are too wide for a row of a phone. */
const ROWS: readonly (readonly AnswerFormat[])[] = [['auto'], ['plain', 'rich']]
const FORMATS = ROWS.flat()

const FORMAT_DATA = new RegExp(`^format:(${FORMATS.join('|')})$`)

const ANSWERS: Readonly<Record<EraseOutcome, string>> = {
  erased: 'forget-done',
  order_under_way: 'forget-order',
  answer_unpaid: 'forget-answer',
}

/** In a group everybody who may talk there chooses the format. */
const formatStep: Step<FormatApp> = {
  name: 'format',
  async view({ prisma }, { chatId, t }) {
    const format = await readFormat(prisma, chatId)
    const buttons = ROWS.map((row) =>
      row.map((offered) =>
        valueButton(t('format-choice', { format: offered }), {
          data: `format:${offered}`,
          isChosen: offered === format,
        }),
      ),
    )
    return { text: t('format-is', { format }), buttons }
  },
}

/** Chooses for a chat when answers are rich messages: if needed (`auto`), never (`plain`) or always (`rich`). */
export const formatCommand: CommandDefinition<FormatApp> = {
  name: 'format',
  audience: 'everybody',
  usage: '[auto|plain|rich]',
  async handle(app, command) {
    const chosen = FORMATS.find((format) => format === command.argument.toLowerCase())
    if (chosen !== undefined) await chooseFormat(app.prisma, command.chatId, chosen)
    await answerStep(formatStep, app, command)
  },
  presses: [
    {
      data: FORMAT_DATA,
      async press(app, press) {
        const format = FORMATS.find((known) => press.match[1] === known) ?? 'auto'
        await chooseFormat(app.prisma, press.chatId, format)
        await press.notify()
        await editStep(formatStep, app, press)
      },
    },
  ],
}

const forgetStep: Step<ForgetApp> = {
  name: 'forget',
  async view(_app, { t }) {
    const buttons = [
      { text: t('forget-erase'), callback_data: 'forget:erase', style: 'danger' as const },
      { text: t('forget-keep'), callback_data: 'forget:keep' },
    ]
    return { text: t('forget-ask'), buttons: [buttons] }
  },
}

export const forgetCommand: CommandDefinition<ForgetApp> = {
  name: 'forget',
  audience: 'everybody',
  async handle(app, command) {
    const { chatId, t, answer } = command
    if (chatId < 0) return answer(t('command-private'))
    await answerStep(forgetStep, app, command)
  },
  presses: [
    {
      data: 'forget:keep',
      async press(_app, { t, notify, edit }) {
        await notify()
        await edit(t('forget-kept'))
      },
    },
    {
      data: 'forget:erase',
      async press({ eraseUser }, { user, t, notify, edit }) {
        await notify()
        await edit(t('forget-running'))
        await edit(t(ANSWERS[await eraseUser(user.id)]))
      },
    },
  ],
}

const STEPS: readonly Step<SettingsApp>[] = [
  systemStep,
  languageStep,
  formatStep,
  costNoteStep,
  forgetStep,
]

export const settingsCommand: CommandDefinition<SettingsApp> = {
  name: 'settings',
  audience: 'everybody',
  listed: 'in_private',
  async handle(_app, { chatId, t, answer }) {
    if (chatId < 0) return answer(t('settings-private'))
    await answer(t('steps-settings'), { keyboard: overview(t) })
  },
  presses: [
    {
      data: SETTINGS_DATA,
      async press(_app, { t, notify, edit }) {
        await notify()
        await edit(t('steps-settings'), { keyboard: overview(t) })
      },
    },
    {
      data: new RegExp(`^${SETTINGS_DATA}:(\\w+)$`),
      async press(app, press) {
        const step = STEPS.find(({ name }) => name === press.match[1])
        if (step === undefined) return press.notify(press.t('button-stale'))
        await press.notify()
        await editStep(step, app, press)
      },
    },
  ],
}

function overview(t: Command['t']) {
  const rows = STEPS.map(({ name }) => [
    { text: t(`step-${name}`), callback_data: `${SETTINGS_DATA}:${name}` },
  ])
  return { inline_keyboard: rows }
}
