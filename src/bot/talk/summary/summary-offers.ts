import type { Logger } from 'pino'
import { estimateTokens } from '../../../contract/token-estimate.ts'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import {
  type CurrentConversation,
  readCurrentConversation,
} from '../../conversations/conversations.ts'
import { readHistory } from '../../conversations/history.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Models } from '../../models/models.ts'
import type { PromptSize } from '../../spend/charges/turn-cost.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { Outbox } from '../../telegram/outbox/outbox.ts'
import type { Turn } from '../turns/turn.ts'
import { toOfferMessage } from './offer-message.ts'
import { mayPay, type SummaryOffer, weighSummary } from './weigh-summary.ts'

export interface SummaryOffersDeps {
  prisma: Pick<PrismaClient, 'conversation' | 'turn' | 'message'>
  models: Pick<Models, 'choose' | 'cheapest' | 'price' | 'listed'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  settings: { systemPrompt?: string | undefined; maxTokens: number }
  log: Logger
  signal: AbortSignal
}

/** Offers summaries that pay, and never makes one by itself. */
export function createSummaryOffers(deps: SummaryOffersDeps) {
  const { prisma, models, outbox, texts, settings, log, signal } = deps
  return { afterAnswer, weigh }

  /**
   * Offers a summary below an answer that has been shown, if it pays: once, and again when the history that is sent
   * with each message has doubled. Resolves when the chat shows the offer. Never throws.
   */
  async function afterAnswer(turn: Turn, size: PromptSize | undefined): Promise<void> {
    try {
      if (turn.kind !== 'answer' || turn.state !== 'finished' || size === undefined) return
      const promptTokens = size.promptTokens + estimateTokens(turn.answer ?? '')
      // Few conversations are so long, so that most histories are not read a second time.
      if (!mayPay(models.price(turn.model, { promptTokens, completionTokens: 0 }))) return
      const conversation = await readCurrentConversation(prisma, turn)
      if (conversation?.id !== turn.conversationId) return
      const offer = await weigh(conversation)
      if (offer !== undefined && (await recordOffer(conversation, offer))) await send(turn, offer)
    } catch (error) {
      // The next offer comes when the conversation has doubled.
      log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'summary not offered')
    }
  }

  async function weigh({ id, model }: CurrentConversation): Promise<SummaryOffer | undefined> {
    await models.listed()
    const history = await readHistory(prisma, { conversationId: id })
    const { systemPrompt, maxTokens } = settings
    return weighSummary({ history, systemPrompt, maxTokens, model: models.choose(model) }, models)
  }

  async function recordOffer(
    { id }: CurrentConversation,
    { tokens }: SummaryOffer,
  ): Promise<boolean> {
    const isDue = [
      { summaryOfferedTokens: null },
      { summaryOfferedTokens: { lte: Math.floor(tokens / 2) } },
    ]
    const { count } = await prisma.conversation.updateMany({
      where: { id, OR: isDue },
      data: { summaryOfferedTokens: tokens },
    })
    return count > 0
  }

  async function send(turn: Turn, offer: SummaryOffer): Promise<void> {
    const { chatId, threadId } = turn
    const message = toOfferMessage(offer, { ...turn, texts })
    await outbox.send({ chatId, threadId, ...message, isSilent: true }, { signal })
  }
}

export type SummaryOffers = ReturnType<typeof createSummaryOffers>
