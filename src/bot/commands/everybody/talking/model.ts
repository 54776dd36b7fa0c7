import type { InlineKeyboardButton } from 'grammy/types'
import type { ModelInfo } from '../../../../contract/client/read-answers.ts'
import { ServiceError } from '../../../../contract/client/service-error.ts'
import type { PrismaClient } from '../../../../platform/database/generated/client.ts'
import { shorten, shortenLine } from '../../../locales/shorten.ts'
import { modelKey } from '../../../models/model-key.ts'
import { type Models, toUnavailableText, type UnavailableText } from '../../../models/models.ts'
import { formatAbout, formatMoney } from '../../../spend/format.ts'
import { readTypicalCosts, type TypicalCosts } from '../../../spend/typical-costs.ts'
import type { Conversations } from '../../../talk/conversation/conversations.ts'
import type { ChatThread } from '../../../telegram/addressing/chat-thread.ts'
import type { Command, CommandDefinition, Press } from '../../command.ts'
import { findNamed } from '../../find-named.ts'

const PAGE_SIZE = 8
const ID_CHARS_MAX = 100
const TYPED_CHARS_MAX = 40

const MODEL_DATA = /^model:(\w|-)+$/
const MODELS_PAGE_DATA = /^models:(\d{1,4})(:tokens)?$/

interface ModelDeps {
  prisma: Pick<PrismaClient, 'charge'>
  models: Pick<Models, 'load' | 'choose' | 'price' | 'pricesOf'>
  conversations: Pick<Conversations, 'current' | 'chooseModel'>
}

interface Listing {
  models: readonly ModelInfo[]
  current: string
  /** What a message costs with each; undefined: the prices of tokens are asked for. */
  costs: TypicalCosts | undefined
  languageCode: string | undefined
  t: Command['t']
}

/**
 * Shows the service's models with what a message costs, on request with the prices of tokens, and changes the one that answers in a thread: by a button, or by its
 * name, of which a part that no other has is enough.
 */
export const modelCommand: CommandDefinition<ModelDeps> = {
  name: 'model',
  audience: 'everybody',
  listed: 'everywhere',
  usage: '[name]',
  create: createModelChoice,
}

function createModelChoice({ prisma, models: offered, conversations }: ModelDeps) {
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
    const costs = await costsFor(command)
    const { languageCode } = user
    const { text, keyboard } = toPage({ models, current, costs, languageCode, t })
    const typed = shortenLine(argument, TYPED_CHARS_MAX)
    const why = argument === '' ? [] : [t('model-unclear', { typed })]
    await answer([...why, text].join('\n\n'), { keyboard })
  }

  async function press(pressed: Press): Promise<void> {
    const { chatId, threadId, data, user, t, notify, edit } = pressed
    const models = await listModels()
    if (typeof models === 'string') return notify(t(models))
    const [, page, ofTokens] = MODELS_PAGE_DATA.exec(data) ?? []
    const chosen = models.find(({ id }) => dataOf(id) === data)?.id
    if (chosen !== undefined) {
      await conversations.chooseModel({ chatId, threadId }, chosen)
      await notify(t('model-chosen', { model: short(chosen) }))
    } else await notify(page === undefined ? t('model-gone') : undefined)
    const current = chosen ?? (await currentModel(pressed))
    const costs = ofTokens === undefined ? await costsFor(pressed) : undefined
    const listing = { models, current, costs, languageCode: user.languageCode, t }
    const { text, keyboard } = toPage(listing, page === undefined ? undefined : Number(page))
    await edit(text, { keyboard })
  }

  async function listModels(): Promise<readonly ModelInfo[] | UnavailableText | 'model-none'> {
    try {
      const models = await offered.load()
      return models.length === 0 ? 'model-none' : models
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return toUnavailableText(error)
    }
  }

  function costsFor({ chatId, user }: Pick<Command, 'chatId' | 'user'>): Promise<TypicalCosts> {
    return readTypicalCosts({ prisma, models: offered }, { userId: user.id, chatId })
  }

  async function currentModel({ chatId, threadId }: ChatThread): Promise<string> {
    const { model: chosen } = await conversations.current({ chatId, threadId })
    return offered.choose(chosen)
  }
}

function toPage(listing: Listing, asked = pageOf(listing.current, listing.models)) {
  const { models, current, costs, t } = listing
  const last = Math.floor((models.length - 1) / PAGE_SIZE)
  const page = Math.min(asked, last)
  const shown = models.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
  const lines = shown.map((info) => toLine(info, listing))
  const hasPrices = shown.some(({ promptMicroRubPer1m }) => promptMicroRubPer1m !== undefined)
  const paragraphs = [
    t('model-choose'),
    lines.join('\n'),
    ...(hasPrices ? [priceNote(costs, t)] : []),
  ]
  const kind = costs === undefined ? ':tokens' : ''
  const turns: InlineKeyboardButton[] = [
    ...(page > 0 ? [{ text: t('page-previous'), callback_data: `models:${page - 1}${kind}` }] : []),
    ...(page < last ? [{ text: t('page-next'), callback_data: `models:${page + 1}${kind}` }] : []),
  ]
  const buttons = shown.map(({ id }) => [
    { text: id === current ? `✓ ${short(id)}` : short(id), callback_data: dataOf(id) },
  ])
  const others = [
    ...(turns.length > 0 ? [turns] : []),
    ...(hasPrices ? [[priceButton(costs, page, t)]] : []),
  ]
  const keyboard = { inline_keyboard: [...buttons, ...others] }
  return { text: paragraphs.join('\n\n'), keyboard }
}

function priceNote(costs: Listing['costs'], t: Command['t']): string {
  if (costs === undefined) return t('model-prices')
  return t('model-estimates', { by: costs.isOwn ? 'own' : 'short' })
}

function priceButton(costs: Listing['costs'], page: number, t: Command['t']): InlineKeyboardButton {
  return costs === undefined
    ? { text: t('button-message-costs'), callback_data: `models:${page}` }
    : { text: t('button-token-prices'), callback_data: `models:${page}:tokens` }
}

function findModel(typed: string, models: readonly ModelInfo[]): string | undefined {
  const named = models.map(({ id }) => ({ value: id, names: [id] }))
  return findNamed(typed, named)
}

function toLine(
  { id, promptMicroRubPer1m, completionMicroRubPer1m }: ModelInfo,
  { costs, languageCode, t }: Listing,
): string {
  const model = short(id)
  if (costs !== undefined) {
    const cost = costs.of(id)
    if (cost === undefined) return model
    return t('model-line', { model, amount: formatAbout(cost, languageCode) })
  }
  if (promptMicroRubPer1m === undefined || completionMicroRubPer1m === undefined) return model
  return t('model-line-tokens', {
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
