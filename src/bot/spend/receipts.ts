/** Receipts of answers: the button with the cost, and the tokens and the cost as they were charged. */
import { Composer } from 'grammy'
import type { InlineKeyboardButton, MessageEntity } from 'grammy/types'
import type { Logger } from 'pino'
import type { Charge, PrismaClient } from '../../platform/database/generated/client.ts'
import { type BotContext, threadOf } from '../telegram/addressing.ts'
import type { TextBody } from '../telegram/message.ts'
import type { Outbox } from '../telegram/send.ts'
import { type NotifyPress, sendBestEffort } from '../telegram/shortcuts.ts'
import { markInstant } from '../texts/dates.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'
import { formatAbout, formatMoney } from './format.ts'

const RECEIPT_DATA = /^receipt:(\d{1,18})$/
/** A request of which its user saw nothing. */
const WRITTEN_OFF = { amountMicroRub: 0n, writtenOffMicroRub: { gt: 0n } } as const

interface Reader {
  texts: Texts
  languageCode: string | undefined
  timeZone: string
}

export interface ReceiptsContext {
  prisma: Pick<PrismaClient, 'charge'>
  outbox: Pick<Outbox, 'send'>
  notifyPress: NotifyPress
  texts: Texts
  timeZone: string
  log: Logger
}

export function receiptButton(
  {
    turnId,
    amountMicroRub,
    estimated,
  }: { turnId: bigint; amountMicroRub: bigint; estimated: boolean },
  languageCode: string | undefined,
  texts: Texts,
): InlineKeyboardButton {
  const amount = (estimated ? formatAbout : formatMoney)(amountMicroRub, languageCode)
  const text = texts.t(languageCode, 'button-receipt', { amount })
  return { text, callback_data: `receipt:${turnId}` }
}

/** For the user who asked and for admins: below the answer in a private chat, in private for a group. */
export function createReceiptButtons(context: ReceiptsContext): Composer<BotContext> {
  const { prisma, outbox, notifyPress, texts, timeZone, log } = context
  const composer = new Composer<BotContext>()
  composer.callbackQuery(RECEIPT_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode } = sender
    const notify = (key?: string) => notifyPress({ callbackQuery, sender }, key)
    const { message } = callbackQuery
    if (message === undefined) return notify('button-stale')
    const thread = threadOf(message)
    const receipt = await prisma.charge.findFirst({
      where: {
        turnId: BigInt(match[1] ?? ''),
        chatId: thread.chatId,
        reversalOfId: null,
        reversal: null,
        NOT: WRITTEN_OFF,
      },
    })
    if (receipt === null) return notify('receipt-gone')
    const isTheirs = receipt.userId === BigInt(sender.id)
    if (!isTheirs && sender.role !== 'admin') return notify('receipt-not-yours')
    const body = toReceiptText(receipt, { texts, languageCode, timeZone })
    const isPrivate = thread.chatId > 0
    const target = isPrivate
      ? { ...thread, replyToMessageId: message.message_id }
      : { chatId: sender.id }
    if (isPrivate) await notify()
    const send = () => outbox.send({ ...target, ...body })
    const sent = await sendBestEffort(send, { ...target, ifLost: 'receipt maybe not shown', log })
    if (!isPrivate) await notify(sent ? 'receipt-sent' : 'receipt-unsent')
  })
  return composer
}

/** A tap copies the id of the request. */
function toReceiptText(receipt: Charge, { texts, languageCode, timeZone }: Reader): TextBody {
  const { amountMicroRub, estimated, requestId } = receipt
  const { promptTokens, historyMessages, completionTokens } = receipt
  const t = (key: string, variables?: TextVariables) => texts.t(languageCode, key, variables)
  const lines = [
    t('receipt-head', {
      model: receipt.item,
      at: markInstant(receipt.createdAt, { languageCode, timeZone }),
    }),
    ...(promptTokens === null ? [] : [t('receipt-prompt', { tokens: promptTokens })]),
    ...(historyMessages ? [t('receipt-history', { messages: historyMessages })] : []),
    ...(completionTokens === null ? [] : [t('receipt-answer', { tokens: completionTokens })]),
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
