import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Texts, TextVariables } from '../../locales/texts.ts'
import { formatMoney } from '../../spend/format.ts'
import type { SummaryOffer } from './weigh-summary.ts'

/** The data of an offer's button: the choice, the conversation, and the price on the button in micro-roubles. */
export const SUMMARY_DATA = /^summary:(make|leave):(\d{1,18}):(\d{1,15})$/

/** Writes an offer for a reader. The user who taps pays, so the button shows about how much. */
export function toOfferMessage(
  { model, beforeMicroRub, onceMicroRub, afterMicroRub }: SummaryOffer,
  {
    conversationId,
    languageCode,
    texts,
  }: { conversationId: bigint; languageCode: string | undefined; texts: Texts },
): { text: string; keyboard: InlineKeyboardMarkup } {
  const t = (key: string, variables?: TextVariables) => texts.t(languageCode, key, variables)
  const money = (microRub: bigint) => formatMoney(microRub, languageCode)
  const once = money(onceMicroRub)
  const button = (choice: 'make' | 'leave', text: string) => [
    { text, callback_data: `summary:${choice}:${conversationId}:${onceMicroRub}` },
  ]
  return {
    text: t('summary-offer', {
      model,
      before: money(beforeMicroRub),
      once,
      after: money(afterMicroRub),
    }),
    keyboard: {
      inline_keyboard: [
        button('make', t('button-summarize', { amount: once })),
        button('leave', t('button-not-now')),
      ],
    },
  }
}
