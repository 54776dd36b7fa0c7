import { Composer } from 'grammy'
import type { InlineKeyboardButton } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { type BotContext, threadOf } from '../telegram/addressing.ts'
import type { Outbox } from '../telegram/send.ts'
import type { NotifyPress } from '../telegram/shortcuts.ts'
import { sendBestEffort } from '../telegram/shortcuts.ts'
import type { Texts } from '../texts/texts.ts'
import { formatAbout, formatMoney } from './format.ts'
import { readReceipt, toReceiptText } from './receipt.ts'

const RECEIPT_DATA = /^receipt:(\d{1,18})$/

/** The cost of an answer, below it; a tap shows the receipt. */
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

export interface ReceiptButtonsDeps {
  prisma: Pick<PrismaClient, 'charge'>
  outbox: Pick<Outbox, 'send'>
  notifyPress: NotifyPress
  texts: Texts
  timeZone: string
  log: Logger
}

/** Shows receipts to who asked and to admins: in a private chat below the answer, of a group in private. */
export function createReceiptButtons(deps: ReceiptButtonsDeps): Composer<BotContext> {
  const { prisma, outbox, notifyPress, texts, timeZone, log } = deps
  const composer = new Composer<BotContext>()
  composer.callbackQuery(RECEIPT_DATA, async ({ callbackQuery, match, sender }) => {
    const { languageCode } = sender
    const notify = (key?: string) => notifyPress({ callbackQuery, sender }, key)
    const { message } = callbackQuery
    if (message === undefined) return notify('button-stale')
    const thread = threadOf(message)
    const receipt = await readReceipt(prisma, { turnId: BigInt(match[1] ?? ''), ...thread })
    if (receipt === undefined) return notify('receipt-gone')
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
