/**
 * Summaries make a conversation cheaper: offered below an answer if they pay, made when a user taps.
 *
 * A summary is a turn like any other: it waits until the turns before it in its thread have ended, replaces its offer in
 * the chat, and the user who taps pays. None is made unasked.
 */
import { Composer } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Logger } from 'pino'
import { estimatePromptTokens, estimateTokens } from '../../contract/token-estimate.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Models } from '../models.ts'
import type { PromptSize } from '../spend/costs.ts'
import { formatMoney } from '../spend/format.ts'
import {
  type BotContext,
  type ChatThread,
  pressedMessageOf,
  pressOrigin,
  type Sender,
} from '../telegram/addressing.ts'
import type { Outbox } from '../telegram/send.ts'
import type { NotifyPress } from '../telegram/shortcuts.ts'
import type { Texts } from '../texts/texts.ts'
import type { AnswerTurn } from './answer-message.ts'
import { type CurrentConversation, readCurrentConversation } from './conversations.ts'
import {
  type HistoryEntry,
  readHistory,
  SUMMARY_REQUEST,
  SUMMARY_TOKENS,
  withSystemPrompt,
} from './history.ts'
import type { Replies } from './replies.ts'
import { type Turn, turnFacts } from './turn.ts'
import type { Turns } from './turns.ts'

export interface SummariesApp {
  prisma: PrismaClient
  models: Pick<Models, 'choose' | 'cheapest' | 'price' | 'listed'>
  outbox: Pick<Outbox, 'send' | 'edit' | 'editKeyboard'>
  texts: Texts
  settings: { systemPrompt?: string | undefined; maxTokens: number }
}

export interface SummaryButtonsApp extends SummariesApp {
  turns: Pick<Turns, 'findOf' | 'beginSummary'>
  replies: Pick<Replies, 'resume' | 'shows'>
  answerTurn: AnswerTurn
  notifyPress: NotifyPress
}

interface SummaryOffer {
  model: string
  tokens: number
  beforeMicroRub: bigint
  afterMicroRub: bigint
  onceMicroRub: bigint
}

type OfferMessage = ChatThread & { messageId: number }

/** The choice, the conversation, and the price on the button in micro-roubles. */
const SUMMARY_DATA = /^summary:(make|leave):(\d{1,18}):(\d{1,15})$/
/** The smallest saving with each message that makes a summary worth a tap. */
const SAVED_MIN_MICRO_RUB = 1_000_000n
const PAID_BACK_IN_MESSAGES = 3n
/** After a first answer it is too early to judge what will matter. */
const ANSWERS_MIN = 3
/** A price that has risen by more than a quarter since it was shown is shown again. */
const DEARER_PERCENT = 125n

/** Offers a summary if it pays: once, and again when the history has doubled. Resolves once shown. Never throws. */
export async function offerSummary(
  app: SummariesApp & { log: Logger; signal: AbortSignal },
  turn: Turn,
  size: PromptSize | undefined,
): Promise<void> {
  const { prisma, models, outbox, texts, log, signal } = app
  const { chatId, threadId, conversationId } = turn
  try {
    if (turn.kind !== 'answer' || turn.state !== 'finished' || size === undefined) return
    const promptTokens = size.promptTokens + estimateTokens(turn.answer ?? '')
    // A long history is expensive to read again, so the cheap checks come first.
    const mayPay = models.price(turn.model, { promptTokens, completionTokens: 0 })
    if (mayPay < SAVED_MIN_MICRO_RUB) return
    const conversation = await readCurrentConversation(prisma, turn)
    if (conversation?.id !== conversationId) return
    if ((conversation.summaryOfferedTokens ?? 0) * 2 > promptTokens) return
    const offer = await weighSummary(app, conversation)
    if (offer === undefined || !(await recordOffer(prisma, conversation, offer))) return
    const message = toOfferMessage(offer, turn, texts)
    await outbox.send({ chatId, threadId, ...message, isSilent: true }, { signal })
  } catch (error) {
    // The next offer comes when the conversation has doubled.
    log.warn(turnFacts(turn.id, error), 'summary not offered')
  }
}

/** A press that a crash cut short continues with the turn that it began. */
export function listenToSummaries(app: SummaryButtonsApp): Composer<BotContext> {
  const { turns, replies, answerTurn, outbox, notifyPress } = app
  const composer = new Composer<BotContext>()
  composer.callbackQuery(SUMMARY_DATA, async (ctx) => {
    const [, choice, conversationId = '0', shown = '0'] = ctx.match
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notifyPress(ctx, 'summary-gone')
    if (choice === 'leave') {
      await notifyPress(ctx)
      return outbox.editKeyboard(message)
    }
    await answerTurn(ctx, message, async () => {
      const originKey = pressOrigin(ctx.callbackQuery.id)
      const asked = { id: BigInt(conversationId), shownMicroRub: BigInt(shown), originKey }
      const turn = (await turns.findOf(message)) ?? (await begin(app, asked, message, ctx.sender))
      if (turn === 'dearer') return void (await notifyPress(ctx, 'summary-dearer'))
      const isGone = turn?.originKey !== originKey || turn.endedAt !== null
      await notifyPress(ctx, isGone ? 'summary-gone' : undefined)
      if (turn === undefined) return void (await outbox.editKeyboard(message))
      if (isGone) return void (await replies.shows.tidy(turn.id, message))
      replies.resume(turn)
    })
  })
  return composer
}

/** Returns undefined if the conversation was left, or a summary does not pay now; `dearer` if the price has risen. */
async function begin(
  app: SummaryButtonsApp,
  { id, shownMicroRub, originKey }: { id: bigint; shownMicroRub: bigint; originKey: string },
  message: OfferMessage,
  user: Sender,
): Promise<Turn | 'dearer' | undefined> {
  const conversation = await readCurrentConversation(app.prisma, message)
  if (conversation?.id !== id) return undefined
  const offer = await weighSummary(app, conversation)
  if (offer === undefined) return undefined
  if (offer.onceMicroRub * 100n > shownMicroRub * DEARER_PERCENT) {
    const reader = { conversationId: id, languageCode: user.languageCode }
    const { text, keyboard } = toOfferMessage(offer, reader, app.texts)
    await app.outbox.edit(message, { text }, { keyboard })
    return 'dearer'
  }
  const summary = { conversationId: id, model: offer.model, originKey }
  return app.turns.beginSummary({ offer: { ...message, user }, ...summary })
}

/**
 * Each message pays for all that is sent again with it: after a summary that is the instruction and the summary.
 *
 * @returns Undefined if a summary does not pay, would not be whole, or the conversation is young.
 */
async function weighSummary(
  { prisma, models, settings: { systemPrompt, maxTokens } }: SummariesApp,
  conversation: CurrentConversation,
): Promise<SummaryOffer | undefined> {
  await models.listed()
  const history = await readHistory(prisma, { conversationId: conversation.id })
  if (maxTokens < SUMMARY_TOKENS || countAnswers(history) < ANSWERS_MIN) return undefined
  const ownModel = models.choose(conversation.model)
  const tokensOf = (entries: readonly HistoryEntry[]) =>
    estimatePromptTokens(withSystemPrompt(entries, systemPrompt))
  const priceOf = (promptTokens: number) =>
    models.price(ownModel, { promptTokens, completionTokens: 0 })
  const tokens = tokensOf(history)
  const tokensAfter = tokensOf(history.filter(({ turnId }) => turnId === null)) + SUMMARY_TOKENS
  const promptTokens = tokens + estimatePromptTokens([SUMMARY_REQUEST])
  const request = { promptTokens, completionTokens: SUMMARY_TOKENS }
  // If no context is known, the model that has read the conversation until now can read it once more.
  const model = models.cheapest(request, promptTokens + maxTokens) ?? ownModel
  const beforeMicroRub = priceOf(tokens)
  const afterMicroRub = priceOf(tokensAfter)
  const onceMicroRub = models.price(model, request)
  const saved = beforeMicroRub - afterMicroRub
  const pays = saved >= SAVED_MIN_MICRO_RUB && onceMicroRub <= saved * PAID_BACK_IN_MESSAGES
  return pays ? { model, tokens, beforeMicroRub, afterMicroRub, onceMicroRub } : undefined
}

/** A summary counts as the answers that an offer needs. */
function countAnswers(history: readonly HistoryEntry[]): number {
  const summedUp = history.some(({ isSummary }) => isSummary) ? ANSWERS_MIN : 0
  return summedUp + history.filter(({ message }) => message.role === 'assistant').length
}

/** Returns whether no offer was recorded since the conversation was read. */
async function recordOffer(
  prisma: SummariesApp['prisma'],
  { id, summaryOfferedTokens }: CurrentConversation,
  { tokens }: SummaryOffer,
): Promise<boolean> {
  const { count } = await prisma.conversation.updateMany({
    where: { id, summaryOfferedTokens },
    data: { summaryOfferedTokens: tokens },
  })
  return count > 0
}

/** The user who taps pays, so the button shows about how much. */
function toOfferMessage(
  { model, beforeMicroRub, onceMicroRub, afterMicroRub }: SummaryOffer,
  { conversationId, languageCode }: Pick<Turn, 'conversationId' | 'languageCode'>,
  texts: Texts,
): { text: string; keyboard: InlineKeyboardMarkup } {
  const money = (microRub: bigint) => formatMoney(microRub, languageCode)
  const [before, once, after] = [beforeMicroRub, onceMicroRub, afterMicroRub].map(money)
  const dataOf = (choice: 'make' | 'leave') => `summary:${choice}:${conversationId}:${onceMicroRub}`
  const make = texts.t(languageCode, 'button-summarize', { amount: once ?? '' })
  const buttons = [
    [{ text: make, callback_data: dataOf('make') }],
    [{ text: texts.t(languageCode, 'button-not-now'), callback_data: dataOf('leave') }],
  ]
  const prices = { before: before ?? '', once: once ?? '', after: after ?? '' }
  const text = texts.t(languageCode, 'summary-offer', { model, ...prices })
  return { text, keyboard: { inline_keyboard: buttons } }
}
