import { createHash } from 'node:crypto'
import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { ServiceError } from '../../../client/errors.ts'
import type { ModelInfo } from '../../../client/read-answers.ts'
import type { ChatThread } from '../../addressing/chat-thread.ts'
import type { Conversations } from '../../conversation/conversations.ts'
import type { TextVariables } from '../../locales/texts.ts'
import type { Models } from '../../models.ts'
import { shorten } from '../../shorten.ts'
import { formatMoney } from '../../spend/format.ts'
import type { MessageRef, Outbox } from '../../telegram/outbox/outbox.ts'
import type { Command, CommandDefinition, Press } from '../command.ts'

const PAGE_SIZE = 8
/** Telegram's bound is 64 bytes, so a long id goes by its digest. */
const DIGEST_CHARS = 16
const ID_CHARS_MAX = 100

/** What a press of one of these buttons says. */
const MODEL_DATA = /^model:(\w|-)+$/
const MODELS_PAGE_DATA = /^models:\d{1,4}$/

export interface ModelDeps {
  models: Pick<Models, 'load' | 'choose'>
  conversations: Pick<Conversations, 'current' | 'chooseModel'>
  outbox: Pick<Outbox, 'edit' | 'answerButton'>
}

interface Listing {
  models: readonly ModelInfo[]
  /** The one that answers now. */
  current: string
  languageCode: string | undefined
  t: (key: string, variables?: TextVariables) => string
}

/** Shows the service's models with their prices, and changes the one that answers in a thread. */
export const modelCommand: CommandDefinition<ModelDeps> = {
  name: 'model',
  audience: 'everybody',
  create(deps) {
    const { handle, press } = createModelChoice(deps)
    return { handle, presses: [MODEL_DATA, MODELS_PAGE_DATA].map((data) => ({ data, press })) }
  },
}

function createModelChoice({ models: offered, conversations, outbox }: ModelDeps) {
  return { handle, press }

  async function handle({ chatId, threadId, user, t, answer }: Command): Promise<void> {
    const models = await listModels()
    if (models === undefined) return answer(t('service-unavailable'))
    if (models.length === 0) return answer(t('model-none'))
    const current = await currentModel({ chatId, threadId })
    const listing = { models, current, languageCode: user.languageCode, t }
    const { text, keyboard } = toPage(listing, pageOf(current, models))
    await answer(text, { keyboard })
  }

  async function press(pressed: Press): Promise<void> {
    const { callbackQueryId, data, message, t } = pressed
    const { languageCode } = pressed.user
    const thread = { chatId: pressed.chatId, threadId: pressed.threadId }
    const models = await listModels()
    if (models === undefined || models.length === 0) {
      const key = models === undefined ? t('service-unavailable') : t('model-none')
      return outbox.answerButton(callbackQueryId, key)
    }
    if (MODELS_PAGE_DATA.test(data)) {
      await outbox.answerButton(callbackQueryId)
      const current = await currentModel(thread)
      const listing = { models, current, languageCode, t }
      return show(message, toPage(listing, Number(data.split(':')[1])))
    }
    const chosen = models.find(({ id }) => dataOf(id) === data)?.id
    if (chosen !== undefined) await conversations.chooseModel(thread, chosen)
    const notice =
      chosen === undefined ? t('model-gone') : t('model-chosen', { model: short(chosen) })
    await outbox.answerButton(callbackQueryId, notice)
    const current = chosen ?? (await currentModel(thread))
    await show(message, toPage({ models, current, languageCode, t }, pageOf(current, models)))
  }

  async function show(
    message: MessageRef,
    { text, keyboard }: { text: string; keyboard: InlineKeyboardMarkup },
  ): Promise<void> {
    await outbox.edit(message, text, { keyboard, final: true })
  }

  /** Undefined when the service does not tell. */
  async function listModels(): Promise<readonly ModelInfo[] | undefined> {
    try {
      return await offered.load()
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return undefined
    }
  }

  async function currentModel(thread: ChatThread): Promise<string> {
    const { model: chosen } = await conversations.current(thread)
    return offered.choose(chosen)
  }
}

function toPage({ models, current, languageCode, t }: Listing, asked: number) {
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
  const digest = createHash('sha256').update(id).digest('base64url')
  return `model:${digest.slice(0, DIGEST_CHARS)}`
}

function short(id: string): string {
  return shorten(id, ID_CHARS_MAX)
}
