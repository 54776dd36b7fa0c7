import type { MessageEntity } from 'grammy/types'
import { formatInstant } from '../../locales/dates.ts'
import type { Texts, TextVariables } from '../../locales/texts.ts'
import type { TextBody } from '../../telegram/outbox/body.ts'
import { formatExactMoney, formatMoney } from '../format.ts'
import type { Receipt } from './read-receipt.ts'

export interface ReceiptReader {
  texts: Texts
  languageCode: string | undefined
  timeZone: string
}

/** Writes a receipt: a line for each fact that is known. The request's id can be copied with a tap. */
export function toReceiptText(
  receipt: Receipt,
  { texts, languageCode, timeZone }: ReceiptReader,
): TextBody {
  const { promptTokens, historyTokens, completionTokens, requestId, heldMicroRub } = receipt
  const { promptPriceMicroRub: prompt, completionPriceMicroRub: completion } = receipt
  const t = (key: string, variables?: TextVariables) => texts.t(languageCode, key, variables)
  const exact = (microRub: bigint) => formatExactMoney(microRub, languageCode)
  const at = formatInstant(receipt.createdAt, { languageCode, timeZone })
  const hasHistory = promptTokens !== null && historyTokens !== null
  const words = hasHistory ? promptTokens - historyTokens : promptTokens
  const lines = [
    t('receipt-head', { model: receipt.item, at }),
    ...(words === null
      ? []
      : [t('receipt-words', { tokens: words, isWhole: String(!hasHistory) })]),
    ...(hasHistory ? [t('receipt-history', { tokens: historyTokens })] : []),
    ...(completionTokens === null ? [] : [t('receipt-answer', { tokens: completionTokens })]),
    ...(prompt === null || completion === null
      ? []
      : [
          t('receipt-prices', {
            prompt: formatMoney(prompt, languageCode),
            completion: formatMoney(completion, languageCode),
          }),
        ]),
    ...(heldMicroRub === null ? [] : [t('receipt-held', { amount: exact(heldMicroRub) })]),
    t('receipt-charged', {
      amount: exact(receipt.amountMicroRub),
      isEstimate: String(receipt.estimated),
    }),
  ]
  if (requestId === null) return { text: lines.join('\n') }
  const lead = `${lines.join('\n')}\n${t('receipt-request')} `
  const id: MessageEntity = { type: 'code', offset: lead.length, length: requestId.length }
  return { text: `${lead}${requestId}`, entities: [id] }
}
