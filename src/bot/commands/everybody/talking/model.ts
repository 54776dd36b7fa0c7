import type { InlineKeyboardButton } from 'grammy/types'
import { ServiceError } from '../../../../contract/client/errors.ts'
import type { ModelInfo } from '../../../../contract/client/read-answers.ts'
import { shorten, shortenLine } from '../../../locales/shorten.ts'
import { modelKey } from '../../../models/model-key.ts'
import { type Models, toUnavailableText, type UnavailableText } from '../../../models/models.ts'
import { formatMoney } from '../../../spend/format.ts'
import type { Conversations } from '../../../talk/conversation/conversations.ts'
import type { ChatThread } from '../../../telegram/addressing/chat-thread.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'
import { findNamed } from '../../find-named.ts'

const PAGE_SIZE = 8
const ID_CHARS_MAX = 100
const TYPED_CHARS_MAX = 40

/** The data of a press of one of these buttons. */
const MODEL_DATA = /^model:(\w|-)+$/
const MODELS_PAGE_DATA = /^models:(\d{1,4})$/

interface ModelDeps {
  models: Pick<Models, 'load' | 'choose'>
  conversations: Pick<Conversations, 'current' | 'chooseModel'>
}

interface Listing {
  models: readonly ModelInfo[]
  /** The one that answers now. */
  current: string
  languageCode: string | undefined
  t: Command['t']
}

/**
 * Shows the service's models with their prices, and changes the one that answers in a thread: by a button, or by its
 * name, of which a part that no other has is enough.
 */
export const modelCommand: CommandDefinition<ModelDeps> = {
  name: 'model',
  audience: 'everybody',
  listed: 'everywhere',
  usage: '[name]',
  create: createModelChoice,
}

function createModelChoice({ models: offered, conversations }: ModelDeps) {
  return { handle, presses: [MODEL_DATA, MODELS_PAGE_DATA].map((data) => ({ data, press })) }

  async function handle(command: Command): Promise<void> {
    const { chatId, threadId, user, argument, t, answer } = command
    const models = await listModels()
    if (typeof models === 'string') return answer(t(models))
    const meant = argument === '' ? undefined : findModel(argument, models)
    if (meant !== undefined) {
      await conversations.chooseModel({ chatId, threadId }, meant)
      return answer(t('model-chosen', { model: short(meant) }))
    }
    const current = await currentModel(command)
    const { text, keyboard } = toPage({ models, current, languageCode: user.languageCode, t })
    const typed = shortenLine(argument, TYPED_CHARS_MAX)
    const why = argument === '' ? [] : [t('model-unclear', { typed })]
    await answer([...why, text].join('\n\n'), { keyboard })
  }

  async function press(pressed: Press): Promise<void> {
    const { chatId, threadId, data, user, t, notify, edit } = pressed
    const models = await listModels()
    if (typeof models === 'string') return notify(t(models))
    const [, page] = MODELS_PAGE_DATA.exec(data) ?? []
    const chosen = models.find(({ id }) => dataOf(id) === data)?.id
    if (chosen !== undefined) {
      await conversations.chooseModel({ chatId, threadId }, chosen)
      await notify(t('model-chosen', { model: short(chosen) }))
    } else await notify(page === undefined ? t('model-gone') : undefined)
    const current = chosen ?? (await currentModel(pressed))
    const listing = { models, current, languageCode: user.languageCode, t }
    const { text, keyboard } = toPage(listing, page === undefined ? undefined : Number(page))
    await edit(text, { keyboard })
  }

  /** The models, or the text that says why there are none. */
  async function listModels(): Promise<readonly ModelInfo[] | UnavailableText | 'model-none'> {
    try {
      const models = await offered.load()
      return models.length === 0 ? 'model-none' : models
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return toUnavailableText(error)
    }
  }

  async function currentModel({ chatId, threadId }: ChatThread): Promise<string> {
    const { model: chosen } = await conversations.current({ chatId, threadId })
    return offered.choose(chosen)
  }
}

/** @param asked The page; the one with the current model if it is missing. */
function toPage({ models, current, languageCode, t }: Listing, asked = pageOf(current, models)) {
  const last = Math.floor((models.length - 1) / PAGE_SIZE)
  const page = Math.min(asked, last)
  const shown = models.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
  const lines = shown.map((info) => toLine(info, { languageCode, t }))
  const hasPrices = shown.some(({ promptMicroRubPer1m }) => promptMicroRubPer1m !== undefined)
  const paragraphs = [
    t('model-choose'),
    lines.join('\n'),
    ...(hasPrices ? [t('model-prices')] : []),
  ]
  const turns: InlineKeyboardButton[] = [
    ...(page > 0 ? [{ text: t('page-previous'), callback_data: `models:${page - 1}` }] : []),
    ...(page < last ? [{ text: t('page-next'), callback_data: `models:${page + 1}` }] : []),
  ]
  const buttons = shown.map(({ id }) => [
    { text: id === current ? `✓ ${short(id)}` : short(id), callback_data: dataOf(id) },
  ])
  const keyboard = { inline_keyboard: turns.length > 0 ? [...buttons, turns] : buttons }
  return { text: paragraphs.join('\n\n'), keyboard }
}

function findModel(typed: string, models: readonly ModelInfo[]): string | undefined {
  const named = models.map(({ id }) => ({ value: id, names: [id] }))
  return findNamed(typed, named)
}

function toLine(
  { id, promptMicroRubPer1m, completionMicroRubPer1m }: ModelInfo,
  { languageCode, t }: Pick<Listing, 'languageCode' | 't'>,
): string {
  const model = short(id)
  if (promptMicroRubPer1m === undefined || completionMicroRubPer1m === undefined) return model
  return t('model-line', {
    model,
    promptPrice: formatMoney(promptMicroRubPer1m, languageCode),
    completionPrice: formatMoney(completionMicroRubPer1m, languageCode),
  })
}

function pageOf(id: string, models: readonly ModelInfo[]): number {
  const index = models.findIndex((model) => model.id === id)
  return Math.floor(Math.max(0, index) / PAGE_SIZE)
}

function dataOf(id: string): string {
  return `model:${modelKey(id)}`
}

function short(id: string): string {
  return shorten(id, ID_CHARS_MAX)
}
