import { Composer } from 'grammy'
import type { PrismaClient } from '../../database/generated/client.ts'
import { pressedMessageOf } from '../addressing/pressed-message.ts'
import type { BotContext, Sender } from '../addressing/sender.ts'
import { readCurrentConversation } from '../conversation/conversations.ts'
import type { Texts } from '../locales/texts.ts'
import type { AnswerTurn } from '../reply/answer-message.ts'
import type { Replies } from '../reply/replies.ts'
import type { Outbox } from '../telegram/outbox/outbox.ts'
import type { Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import { SUMMARY_DATA, type SummaryOffers } from './summary-offers.ts'

export interface SummaryButtonsDeps {
  prisma: Pick<PrismaClient, 'conversation'>
  turns: Pick<Turns, 'find' | 'beginSummary'>
  replies: Pick<Replies, 'resume' | 'tidyKeyboard'>
  offers: Pick<SummaryOffers, 'weigh'>
  answerTurn: AnswerTurn
  outbox: Pick<Outbox, 'answerButton' | 'editKeyboard'>
  texts: Texts
}

/**
 * The buttons below an offer. A summary is a turn like any other: it waits until the turns before it in its thread
 * have ended, stands in the place of its offer, and who taps pays. Its update is kept until it has ended, so that a
 * press that a crash cut short goes on with the turn that it began.
 */
export function createSummaryButtons(deps: SummaryButtonsDeps): Composer<BotContext> {
  const { prisma, turns, replies, offers, answerTurn, outbox, texts } = deps
  const composer = new Composer<BotContext>()

  composer.callbackQuery(SUMMARY_DATA, async (ctx) => {
    const [, choice, conversationId = '0'] = ctx.match
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notify(ctx, 'summary-gone')
    if (choice === 'leave') {
      await notify(ctx)
      return outbox.editKeyboard(message)
    }
    await answerTurn(ctx, message, async (facts) => {
      const begun = await turns.find(message)
      // One that runs beside this press was begun by another one.
      const isAnothers = facts.isBeside && begun?.state === 'streaming'
      const isOver = isAnothers || (begun !== undefined && begun.endedAt !== null)
      const turn = begun ?? (await begin(BigInt(conversationId), message, ctx.sender))
      await notify(ctx, turn === undefined || isOver ? 'summary-gone' : undefined)
      if (turn === undefined) return void (await outbox.editKeyboard(message))
      if (isOver) return void (await replies.tidyKeyboard(turn.id, message))
      return replies.resume(turn, facts)
    })
  })

  return composer

  /** @returns Undefined where the conversation was left, or a summary of it does not pay any more. */
  async function begin(
    conversationId: bigint,
    message: NonNullable<ReturnType<typeof pressedMessageOf>>,
    user: Sender,
  ): Promise<Turn | undefined> {
    const conversation = await readCurrentConversation(prisma, message)
    if (conversation?.id !== conversationId) return undefined
    const offer = await offers.weigh(conversation)
    if (offer === undefined) return undefined
    return turns.beginSummary({ ...message, user }, { conversationId, model: offer.model })
  }

  async function notify(
    ctx: BotContext & { callbackQuery: { id: string } },
    key?: string,
  ): Promise<void> {
    const notice = key === undefined ? undefined : texts.t(ctx.sender.languageCode, key)
    await outbox.answerButton(ctx.callbackQuery.id, notice)
  }
}

/** Whether a press begins a summary, and so waits until the turns before it in its thread have ended. */
export function beginsSummary(callbackData: string | undefined): boolean {
  return SUMMARY_DATA.exec(callbackData ?? '')?.[1] === 'make'
}
