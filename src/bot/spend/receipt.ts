import type { MessageEntity } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { formatInstant } from '../locales/dates.ts'
import type { Texts, TextVariables } from '../locales/texts.ts'
import type { TextBody } from '../telegram/outbox/body.ts'
import { formatExactMoney, formatMoney } from './format.ts'

/** The cost of one answer and its parts: as it was charged, never recomputed. */
export type Receipt = NonNullable<Awaited<ReturnType<typeof readReceipt>>>

/**
 * Reads the receipt of a turn of a chat.
 *
 * @returns Undefined where the turn is not charged, not yet or not any more, or it was not asked in the chat.
 */
export async function readReceipt(
  prisma: Pick<PrismaClient, 'charge'>,
  { turnId, chatId }: { turnId: bigint; chatId: number },
) {
  const charge = await prisma.charge.findFirst({
    where: { turnId, chatId, reversalOfId: null, reversal: null },
    select: {
      userId: true,
      item: true,
      promptTokens: true,
      historyTokens: true,
      completionTokens: true,
      promptPriceMicroRub: true,
      completionPriceMicroRub: true,
      amountMicroRub: true,
      estimated: true,
      requestId: true,
      createdAt: true,
      // Recorded as the request went out, by the rule by which the service holds.
      turn: { select: { requestMicroRub: true } },
    },
  })
  if (charge === null) return undefined
  const { turn, ...charged } = charge
  return { ...charged, heldMicroRub: turn?.requestMicroRub ?? null }
}

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
