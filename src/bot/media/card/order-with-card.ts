import type { Texts } from '../../locales/texts.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { CardMessages } from './card-messages.ts'
import { type Card, type CardStore, cardOrigin } from './card-store.ts'
import { limitedView } from './card-view.ts'
import type { OrderCreation } from './order-creation.ts'

export interface OrderWithCardDeps {
  store: Pick<CardStore, 'change'>
  creation: Pick<OrderCreation, 'create'>
  messages: Pick<CardMessages, 'show'>
  limitTexts: LimitTexts
  texts: Texts
}

/** Makes the orders of cards. */
export function createOrderWithCard(deps: OrderWithCardDeps) {
  const { store, creation, messages } = deps
  return { orderWith }

  /**
   * Safe to repeat: a card makes one order.
   *
   * Where a limit leaves no room the card can be ordered with again.
   */
  async function orderWith(card: Card, imageUrl: string | undefined): Promise<void> {
    const { kind, user, chatId, threadId, replyToMessageId, options, cardMessageId } = card
    const outcome = await creation.create({
      kind,
      user,
      chatId,
      threadId,
      replyToMessageId,
      options,
      imageUrl,
      // A card that is ordered with has its words.
      prompt: card.prompt ?? '',
      originKey: cardOrigin(card.id),
      statusMessageId: cardMessageId,
    })
    if (outcome.status === 'created') return
    const change = { state: 'confirmation' } as const
    const found = await store.change(card.id, () => ({ type: 'reopened', change }))
    if (found !== undefined)
      await messages.show(found.card, limitedView(found.card, outcome.refusal, deps))
  }
}

export type OrderWithCard = ReturnType<typeof createOrderWithCard>
