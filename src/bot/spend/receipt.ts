import type { MessageEntity } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { TextBody } from '../telegram/message.ts'
import { markInstant } from '../texts/dates.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'
import { formatMoney, formatSum } from './format.ts'

/** The cost of one answer and its parts: as it was charged, never recomputed. */
export type Receipt = NonNullable<Awaited<ReturnType<typeof readReceipt>>>

/** A request of which its user saw nothing. */
const WRITTEN_OFF = { amountMicroRub: 0n, writtenOffMicroRub: { gt: 0n } } as const

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
    where: { turnId, chatId, reversalOfId: null, reversal: null, NOT: WRITTEN_OFF },
    select: {
      userId: true,
      item: true,
      promptTokens: true,
      historyTokens: true,
      historyMessages: true,
      completionTokens: true,
      promptPriceMicroRub: true,
      completionPriceMicroRub: true,
      amountMicroRub: true,
      estimated: true,
      requestId: true,
      createdAt: true,
    },
  })
  return charge ?? undefined
}

export interface ReceiptReader {
  texts: Texts
  languageCode: string | undefined
  timeZone: string
}

/**
 * Writes a receipt: a line for each part that is known, which add up to what was charged. The request's id can be
 * copied with a tap.
 */
export function toReceiptText(
  receipt: Receipt,
  { texts, languageCode, timeZone }: ReceiptReader,
): TextBody {
  const { amountMicroRub, estimated, requestId } = receipt
  const t = (key: string, variables?: TextVariables) => texts.t(languageCode, key, variables)
  const at = markInstant(receipt.createdAt, { languageCode, timeZone })
  const parts = partsOf(receipt)
  const costs = costsOf(parts, amountMicroRub)
  const { lines: amounts } = formatSum(costs ?? [], languageCode)
  const lines = [
    t('receipt-head', { model: receipt.item, at }),
    ...parts.map(({ name, counts }, index) => {
      const part = t(`receipt-${name}`, counts)
      const amount = amounts[index]
      return amount === undefined ? part : t('receipt-part', { part, amount })
    }),
    t('receipt-charged', {
      amount: formatMoney(amountMicroRub, languageCode),
      isEstimate: String(estimated),
    }),
  ]
  if (requestId === null) return { text: lines.join('\n') }
  const lead = `${lines.join('\n')}\n${t('receipt-request')} `
  const id: MessageEntity = { type: 'code', offset: lead.length, length: requestId.length }
  return { text: `${lead}${requestId}`, entities: [id] }
}

interface ReceiptPart {
  name: 'words' | 'whole' | 'history' | 'history-tokens' | 'answer'
  counts: TextVariables
  tokens: number
  priceMicroRub: bigint | null
}

function partsOf(receipt: Receipt): ReceiptPart[] {
  const { promptTokens, historyTokens, historyMessages: messages, completionTokens } = receipt
  const { promptPriceMicroRub: prompt, completionPriceMicroRub: completion } = receipt
  const parts: ReceiptPart[] = []
  if (promptTokens !== null && historyTokens === null) add('whole', promptTokens, prompt)
  if (promptTokens !== null && historyTokens !== null) {
    add('words', promptTokens - historyTokens, prompt)
    if (historyTokens > 0 && messages === null) add('history-tokens', historyTokens, prompt)
    if (historyTokens > 0 && messages !== null) add('history', historyTokens, prompt, { messages })
  }
  if (completionTokens !== null) add('answer', completionTokens, completion)
  return parts

  function add(
    name: ReceiptPart['name'],
    tokens: number,
    priceMicroRub: bigint | null,
    counts: TextVariables = { tokens },
  ): void {
    parts.push({ name, counts, tokens, priceMicroRub })
  }
}

const TOKENS_PER_PRICE = 1_000_000n

/**
 * Shares out what was charged over the parts, to the micro-rouble.
 *
 * @returns Undefined where the tokens and their prices do not come to it: a service may count otherwise.
 */
function costsOf(parts: readonly ReceiptPart[], amountMicroRub: bigint): bigint[] | undefined {
  let tokensPrice = 0n
  let before = 0n
  const costs: bigint[] = []
  for (const { tokens, priceMicroRub } of parts) {
    if (priceMicroRub === null) return undefined
    tokensPrice += priceMicroRub * BigInt(tokens)
    // What stands before a line is rounded as the whole is, so that the lines come to it.
    const upTo = (tokensPrice + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE
    costs.push(upTo - before)
    before = upTo
  }
  return before === amountMicroRub ? costs : undefined
}
