import type { Texts } from '../../locales/texts.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { ChatThread, Sender } from '../../telegram/addressing.ts'
import type { Extras } from '../../telegram/send.ts'
import { toRequest } from '../catalog.ts'
import { type AgainButtons, readAgainData } from '../order/again-buttons.ts'
import type { ListedOrder, OrderList } from '../order/order-list.ts'
import { summaryOf } from '../order/order-texts.ts'
import { priceText } from '../order/price-text.ts'
import type { MediaPrices } from '../order/prices.ts'
import { choiceOf, type Variant } from '../order/variants.ts'
import type { Doubt } from './card-prices.ts'
import type { OrderAgain } from './order-again.ts'
import { refusalText } from './refusal-text.ts'

/** Stands for the picture where only the summary of an order is shown. */
const ANY_PICTURE = 'https://picture.invalid'

const QUESTIONS: Readonly<Record<Doubt, string>> = {
  new_price: 'again-new-price',
  high_price: 'again-sure',
  second_order: 'again-second',
}

/** A press of a button that orders after an order, by any user who sees it. */
export interface PressedAgain extends ChatThread {
  id: string
  messageId: number
  data: string
  user: Sender
  notify(text?: string): Promise<void>
  answer(text: string, extras?: Pick<Extras, 'keyboard'>): Promise<void>
}

export interface PressAgainDeps {
  orderList: Pick<OrderList, 'findSeen'>
  orderAgain: OrderAgain['orderAgain']
  againButtons: Pick<AgainButtons, 'belowQuestion'>
  prices: Pick<MediaPrices, 'ready'>
  limitTexts: LimitTexts
  texts: Texts
}

/** Carries out what the buttons below results, failures and questions about a price say. */
export function createPressAgain(deps: PressAgainDeps) {
  const { orderList, orderAgain, againButtons, prices, limitTexts, texts } = deps
  return { press }

  async function press(pressed: PressedAgain): Promise<void> {
    const { chatId, user, notify, answer } = pressed
    const { languageCode } = user
    const { orderId, ...asked } = readAgainData(pressed.data)
    const base = await orderList.findSeen({ userId: user.id, chatId }, orderId)
    if (base === undefined) return notify(texts.t(languageCode, 'button-stale'))
    await prices.ready()
    const outcome = await orderAgain({ ...pressed, ...asked, base })
    switch (outcome.status) {
      case 'created': {
        const key = outcome.isNew ? 'again-placed' : 'again-under-way'
        return notify(texts.t(languageCode, key))
      }
      case 'unsure': {
        const { price, doubt } = outcome
        // Without a price on the button there is none that is new.
        const hadPrice = asked.shownMicroRub !== undefined
        const key = doubt === 'new_price' && !hadPrice ? 'again-sure' : QUESTIONS[doubt]
        const text = texts.t(languageCode, key, {
          summary: summary(base, asked.variant, user),
          price: priceText(price, { languageCode, texts }),
        })
        const question = { variant: asked.variant, price, languageCode }
        await notify()
        return answer(text, { keyboard: againButtons.belowQuestion(base, question) })
      }
      case 'limited': {
        const { price, refusal } = outcome
        const { inline_keyboard: order } = againButtons.belowQuestion(base, {
          variant: asked.variant,
          price,
          languageCode,
        })
        const ask = limitTexts.askButton(refusal, languageCode)
        const text = limitTexts.refusal(refusal, languageCode)
        await notify()
        return answer(text, { keyboard: { inline_keyboard: [...order, [ask]] } })
      }
      case 'refused':
        await notify()
        return answer(refusalText(outcome.kind, outcome, { languageCode, texts }))
    }
  }

  function summary(base: ListedOrder, variant: Variant, { languageCode }: Sender): string {
    const choice = choiceOf(base, variant)
    if (choice === undefined) return ''
    const { kind, options, hasPicture } = choice
    const imageUrl = hasPicture ? ANY_PICTURE : undefined
    const { request: params } = toRequest(kind, { prompt: '…', options, imageUrl })
    const user = { language: null, languageCode: languageCode ?? null }
    return summaryOf({ kind, params, user }, texts)
  }
}
