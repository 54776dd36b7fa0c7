import { Composer } from 'grammy'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { readCurrentConversation } from '../../conversations/conversations.ts'
import type { Texts } from '../../locales/texts.ts'
import { pressedMessageOf } from '../../telegram/addressing/chat-thread.ts'
import type { BotContext, Sender } from '../../telegram/addressing/sender.ts'
import { pressOrigin } from '../../telegram/origin-key.ts'
import type { NotifyPress } from '../../telegram/outbox/notify-press.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { AnswerTurn } from '../reply/answer-message.ts'
import type { Replies } from '../reply/replies.ts'
import type { Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import { SUMMARY_DATA, toOfferMessage } from './offer-message.ts'
import type { SummaryOffers } from './summary-offers.ts'

/** A price that has risen by more than a quarter since it was shown is shown again. */
const DEARER_PERCENT = 125n

export interface SummaryButtonsDeps {
  prisma: Pick<PrismaClient, 'conversation'>
  turns: Pick<Turns, 'find' | 'beginSummary'>
  replies: Pick<Replies, 'resume' | 'tidyKeyboard'>
  offers: Pick<SummaryOffers, 'weigh'>
  answerTurn: AnswerTurn
  outbox: Pick<Outbox, 'edit' | 'editKeyboard'>
  notify: NotifyPress
  texts: Texts
}

/**
 * Handles the buttons below an offer. A summary is a turn like any other: it waits until the turns before it in its thread
 * have ended, replaces its offer in the chat, and the user who taps pays. Its update is kept until it has ended, so that a
 * press that a crash cut short goes on with the turn that it began.
 */
export function createSummaryButtons(deps: SummaryButtonsDeps): Composer<BotContext> {
  const { prisma, turns, replies, offers, answerTurn, outbox, notify, texts } = deps
  const composer = new Composer<BotContext>()

  composer.callbackQuery(SUMMARY_DATA, async (ctx) => {
    const [, choice, conversationId = '0', shown = '0'] = ctx.match
    const message = pressedMessageOf(ctx)
    if (message === undefined) return notify(ctx, 'summary-gone')
    if (choice === 'leave') {
      await notify(ctx)
      return outbox.editKeyboard(message)
    }
    await answerTurn(ctx, message, async (facts) => {
      const originKey = pressOrigin(ctx.callbackQuery.id)
      const asked = {
        conversationId: BigInt(conversationId),
        shownMicroRub: BigInt(shown),
        originKey,
      }
      const turn = (await turns.find(message)) ?? (await begin(asked, message, ctx.sender))
      if (turn === 'dearer') return void (await notify(ctx, 'summary-dearer'))
      const isGone = turn?.originKey !== originKey || turn.endedAt !== null
      await notify(ctx, isGone ? 'summary-gone' : undefined)
      if (turn === undefined) return void (await outbox.editKeyboard(message))
      if (isGone) return void (await replies.tidyKeyboard(turn.id, message))
      return replies.resume(turn, facts)
    })
  })

  return composer

  /**
   * @returns Undefined if the conversation was left, or a summary of it does not pay any more; `dearer` if the
   *   message shows a new price now.
   */
  async function begin(
    {
      conversationId,
      shownMicroRub,
      originKey,
    }: { conversationId: bigint; shownMicroRub: bigint; originKey: string },
    message: NonNullable<ReturnType<typeof pressedMessageOf>>,
    user: Sender,
  ): Promise<Turn | 'dearer' | undefined> {
    const conversation = await readCurrentConversation(prisma, message)
    if (conversation?.id !== conversationId) return undefined
    const offer = await offers.weigh(conversation)
    if (offer === undefined) return undefined
    if (offer.onceMicroRub * 100n > shownMicroRub * DEARER_PERCENT) {
      const { languageCode } = user
      const { text, keyboard } = toOfferMessage(offer, { conversationId, languageCode, texts })
      await outbox.edit(message, { text }, { keyboard })
      return 'dearer'
    }
    return turns.beginSummary(
      { ...message, user },
      { conversationId, model: offer.model, originKey },
    )
  }
}

/** Checks whether a press begins a summary, and so waits until the turns before it in its thread have ended. */
export function beginsSummary(callbackData: string | undefined): boolean {
  return SUMMARY_DATA.exec(callbackData ?? '')?.[1] === 'make'
}
