/** `/settings`, `/format` and `/forget`: one message of buttons that lead to all that a user can set, and back. */
import type { InlineKeyboardButton } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { AnswerFormat } from '../../platform/database/generated/enums.ts'
import type { EraseOutcome, EraseUser } from '../conversations/erase-user.ts'
import { chooseFormat, readFormat } from '../people/chats.ts'
import type { CommandDefinition, Press } from './command.ts'
import { type CostNoteApp, costNoteStep } from './cost-note.ts'
import { type SystemApp, systemStep } from './instruction.ts'
import { type LanguageApp, languageStep } from './language.ts'
import {
  answerStep,
  drawStep,
  editStep,
  SETTINGS,
  type Step,
  type StepReader,
  valueButton,
} from './views.ts'

interface FormatApp {
  prisma: Pick<PrismaClient, 'chat'>
}

interface ForgetApp {
  eraseUser: EraseUser
  now: () => Promise<Date>
}

type SettingsApp = SystemApp & LanguageApp & FormatApp & CostNoteApp & ForgetApp

/** All three are too wide for a row of a phone. */
const ROWS: readonly (readonly AnswerFormat[])[] = [['auto'], ['plain', 'rich']]
const FORMATS = ROWS.flat()

const FORMAT_DATA = new RegExp(`^format:(${FORMATS.join('|')})$`)

/** The data of a press below the question: what to do, who was asked, and in which second. */
const FORGET_DATA = /^forget:(erase|keep):(\d{1,15}):(\d{1,12})$/

/** A question that is found days later must not erase anything. */
const VALID_MS = 5 * 60_000

const ANSWERS: Readonly<Record<EraseOutcome, string>> = {
  erased: 'forget-done',
  order_under_way: 'forget-order',
  answer_unpaid: 'forget-answer',
}

/** Chooses how answers look in a chat; in a group everybody who may talk there does. */
const formatStep: Step<FormatApp> = {
  name: 'format',
  isOwn: false,
  async state({ prisma }, { chatId }) {
    return { format: await readFormat(prisma, chatId) }
  },
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

/**
 * Chooses for a chat whether answers are rich messages: only if they need it (`auto`), never (`plain`) or always
 * (`rich`). Without one of these it shows the choice.
 */
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

/** Asks whether everything is to be erased. */
const forgetStep: Step<ForgetApp> = {
  name: 'forget',
  isOwn: true,
  state: async () => ({}),
  async view({ eraseUser, now }, { user, t }) {
    // A group whose admins write in its name: it is not known whose words they were.
    if (user.id < 0) return { text: t('forget-anonymous'), buttons: [] }
    if (await eraseUser.hasOrderUnderWay(user.id)) return { text: t('forget-order'), buttons: [] }
    const asked = `${user.id}:${Math.floor((await now()).getTime() / 1000)}`
    const buttons = [
      { text: t('forget-erase'), callback_data: `forget:erase:${asked}`, style: 'danger' as const },
      { text: t('forget-keep'), callback_data: `forget:keep:${asked}` },
    ]
    return { text: t('forget-ask'), buttons: [buttons] }
  },
}

/** Erases everything of a user, who is asked first. */
export const forgetCommand: CommandDefinition<ForgetApp> = {
  name: 'forget',
  audience: 'everybody',
  async handle(app, command) {
    const { text, keyboard } = await drawStep(forgetStep, app, command)
    await command.answer(text, { keyboard })
  },
  presses: [{ data: FORGET_DATA, press: take }],
}

async function take({ eraseUser, now }: ForgetApp, press: Press): Promise<void> {
  const { match, user, t, notify, edit } = press
  const [, verb, userId, askedAt] = match
  if (Number(userId) !== user.id) return notify(t('forget-not-yours'))
  await notify()
  const isValid = (await now()).getTime() <= Number(askedAt) * 1000 + VALID_MS
  if (verb === 'keep') return edit(t('forget-kept'))
  if (!isValid) return edit(t('forget-expired'))
  await edit(t('forget-running'))
  await edit(t(ANSWERS[await eraseUser.erase(user.id)]))
}

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
