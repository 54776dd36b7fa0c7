import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { writeCharge } from '../../../src/bot/spend/charges.ts'
import type { Prisma } from '../../../src/platform/database/generated/client.ts'
import type { ChargeKind } from '../../../src/platform/database/generated/enums.ts'

export interface AddedCharge {
  userId: bigint | number
  amountMicroRub: bigint
  chatId?: bigint | number
  kind?: ChargeKind
  item?: string
  estimated?: boolean
  promptTokens?: number
  historyTokens?: number
  completionTokens?: number
  promptPriceMicroRub?: bigint
  orderId?: bigint
  turnId?: bigint
  request?: number
  reversalOf?: bigint
  writtenOff?: boolean
  at?: Date | string
  timeZone?: string
}

/** Writes a charge as the bot does, sums included. @returns Its id. */
export async function addCharge(
  prisma: Prisma.TransactionClient,
  { at = new Date(), timeZone = 'Europe/Moscow', ...charge }: AddedCharge,
): Promise<bigint> {
  const {
    userId,
    chatId = userId,
    kind = 'answer',
    item = 'alpha-large',
    estimated = false,
  } = charge
  const { promptTokens, historyTokens, completionTokens = 0, promptPriceMicroRub } = charge
  const createdAt = new Date(at)
  const calendar = createCalendar({ timeZone, now: () => createdAt })
  const facts = {
    ...(promptTokens !== undefined && { usage: { promptTokens, completionTokens } }),
    ...(historyTokens !== undefined && { history: { tokens: historyTokens, messages: 1 } }),
    ...(promptPriceMicroRub !== undefined && {
      prices: { promptMicroRubPer1m: promptPriceMicroRub, completionMicroRubPer1m: undefined },
    }),
  }
  const isNew = await writeCharge(
    prisma,
    { ...charge, ...facts, userId, chatId, kind, item, estimated },
    calendar,
  )
  if (!isNew) throw new Error('The charge was there already')
  const newest = { where: { userId }, orderBy: { id: 'desc' } } as const
  const { id } = await prisma.charge.findFirstOrThrow(newest)
  await prisma.charge.update({ where: { id }, data: { createdAt } })
  return id
}

/** Takes a charge back as the bot does. */
export async function takeBack(
  prisma: Prisma.TransactionClient,
  id: bigint,
  { writtenOff = false, at }: { writtenOff?: boolean; at?: Date | string } = {},
): Promise<bigint> {
  const { userId, chatId, kind, item, estimated, amountMicroRub } =
    await prisma.charge.findUniqueOrThrow({ where: { id } })
  return addCharge(prisma, {
    userId,
    chatId,
    kind,
    item,
    estimated,
    writtenOff,
    reversalOf: id,
    amountMicroRub: -amountMicroRub,
    ...(at !== undefined && { at }),
  })
}
