/** `/model`: lists the service's models with the cost of a message, and changes the model of the conversation. */
import type { ModelInfo } from '../../contract/client/read-answers.ts'
import { ServiceError } from '../../contract/client/service-error.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { chooseModel, conversationOf } from '../conversations/conversations.ts'
import { type Models, modelKey, toUnavailableText, type UnavailableText } from '../models.ts'
import { SHORT_TURN } from '../spend/costs.ts'
import { formatAbout } from '../spend/format.ts'
import { shorten, shortenLine } from '../texts/shorten.ts'
import type { Command, CommandDefinition, Press } from './command.ts'
import { findNamed } from './command.ts'
import { pageTurns } from './views.ts'

interface ModelApp {
  prisma: PrismaClient
  models: Pick<Models, 'load' | 'choose' | 'price'>
}

interface Listing {
  models: readonly ModelInfo[]
  current: string
  page?: number
}

const PAGE_SIZE = 8
const ID_CHARS_MAX = 100
const TYPED_CHARS_MAX = 40

/** Lists the models with the cost of a message; a button or a unique part of a name chooses one. */
export const modelCommand: CommandDefinition<ModelApp> = {
  name: 'model',
  audience: 'everybody',
  listed: 'everywhere',
  usage: '[name]',
  async handle(app, command) {
    const { argument, t, answer } = command
    const models = await listModels(app)
    if (typeof models === 'string') return answer(t(models))
    const named = models.map(({ id }) => ({ value: id, names: [id] }))
    const meant = argument === '' ? undefined : findNamed(argument, named)
    if (meant !== undefined) {
      await chooseModel(app, command, meant)
      return answer(t('model-chosen', { model: short(meant) }))
    }
    const [text, extras] = view(app, command, {
      models,
      current: await current(app, command),
    })
    const typed = shortenLine(argument, TYPED_CHARS_MAX)
    const why = argument === '' ? [] : [t('model-unclear', { typed })]
    await answer([...why, text].join('\n\n'), extras)
  },
  presses: [
    { data: /^model:(?:\w|-)+$/, press: choose },
    { data: /^models:(\d{1,4})$/, press: turnPage },
  ],
}

async function choose(app: ModelApp, press: Press): Promise<void> {
  const { data, t, notify, edit } = press
  const models = await listModels(app)
  if (typeof models === 'string') return notify(t(models))
  const chosen = models.find(({ id }) => dataOf(id) === data)?.id
  if (chosen !== undefined) await chooseModel(app, press, chosen)
  await notify(chosen === undefined ? t('model-gone') : t('model-chosen', { model: short(chosen) }))
  await edit(...view(app, press, { models, current: await current(app, press) }))
}

async function turnPage(app: ModelApp, press: Press): Promise<void> {
  const { match, t, notify, edit } = press
  const models = await listModels(app)
  if (typeof models === 'string') return notify(t(models))
  await notify()
  const listing = { models, page: Number(match[1]), current: await current(app, press) }
  await edit(...view(app, press, listing))
}

async function listModels({
  models: offered,
}: ModelApp): Promise<readonly ModelInfo[] | UnavailableText | 'model-none'> {
  try {
    const models = await offered.load()
    return models.length === 0 ? 'model-none' : models
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return toUnavailableText(error)
  }
}

async function current(app: ModelApp, reader: Command | Press): Promise<string> {
  const { model: chosen } = await conversationOf(app, reader)
  return app.models.choose(chosen)
}

function view(app: ModelApp, reader: Command | Press, { models, current, page: asked }: Listing) {
  const { t } = reader
  const last = Math.floor((models.length - 1) / PAGE_SIZE)
  const index = models.findIndex(({ id }) => id === current)
  const page = Math.min(asked ?? Math.floor(Math.max(0, index) / PAGE_SIZE), last)
  const shown = models.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
  const lines = shown.map((info) => lineOf(app, info, reader))
  const hasPrices = shown.some(({ promptMicroRubPer1m }) => promptMicroRubPer1m !== undefined)
  const buttons = shown.map(({ id }) => [
    { text: id === current ? `✓ ${short(id)}` : short(id), callback_data: dataOf(id) },
  ])
  const turns = pageTurns({ page, hasMore: page < last, t }, (to) => `models:${to}`)
  const note = hasPrices ? [t('model-estimates')] : []
  const text = [t('model-choose'), lines.join('\n'), ...note].join('\n\n')
  const rows = [...buttons, ...turns]
  return [text, { keyboard: { inline_keyboard: rows } }] as const
}

function lineOf(
  { models }: ModelApp,
  { id, promptMicroRubPer1m, completionMicroRubPer1m }: ModelInfo,
  { user: { languageCode }, t }: Pick<Command, 'user' | 't'>,
): string {
  const model = short(id)
  if (promptMicroRubPer1m === undefined || completionMicroRubPer1m === undefined) return model
  const amount = formatAbout(models.price(id, SHORT_TURN), languageCode)
  return t('model-line', { model, amount })
}

function dataOf(id: string): string {
  return `model:${modelKey(id)}`
}

function short(id: string): string {
  return shorten(id, ID_CHARS_MAX)
}
