import { createCalendar } from '../../../src/bot/spend/calendar.ts'
import { recordCharges } from '../../../src/bot/spend/charges/record-charges.ts'
import { Prisma, type PrismaClient } from '../../../src/platform/database/generated/client.ts'
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
  prisma: Pick<PrismaClient, '$queryRaw'>,
  { at = new Date(), timeZone = 'Europe/Moscow', ...charge }: AddedCharge,
): Promise<bigint> {
  const { userId, chatId = userId, kind = 'answer', item = 'alpha-large' } = charge
  const instant = new Date(at)
  const charges = recordCharges({
    columns: {
      user_id: Prisma.sql`${userId}::bigint`,
      chat_id: Prisma.sql`${chatId}::bigint`,
      turn_id: Prisma.sql`${charge.turnId ?? null}::bigint`,
      request: Prisma.sql`${charge.request ?? null}::int`,
      order_id: Prisma.sql`${charge.orderId ?? null}::bigint`,
      kind: Prisma.sql`${kind}::bot.charge_kind`,
      item: Prisma.sql`${item}::text`,
      prompt_tokens: Prisma.sql`${charge.promptTokens ?? null}::int`,
      history_tokens: Prisma.sql`${charge.historyTokens ?? null}::int`,
      completion_tokens: Prisma.sql`${charge.completionTokens ?? null}::int`,
      prompt_price_micro_rub: Prisma.sql`${charge.promptPriceMicroRub ?? null}::bigint`,
      amount_micro_rub: Prisma.sql`${charge.amountMicroRub}::bigint`,
      estimated: Prisma.sql`${charge.estimated ?? false}::boolean`,
      reversal_of: Prisma.sql`${charge.reversalOf ?? null}::bigint`,
      written_off: Prisma.sql`${charge.writtenOff ?? false}::boolean`,
      created_at: Prisma.sql`${instant}::timestamptz`,
    },
    from: Prisma.empty,
    calendar: createCalendar({ timeZone, now: () => instant }),
  })
  const [written] = await prisma.$queryRaw<{ id: bigint }[]>`WITH ${charges} SELECT id FROM charged`
  if (written === undefined) throw new Error('The charge was there already')
  return written.id
}

/** Takes a charge back as the bot does. */
export async function takeBack(
  prisma: Pick<PrismaClient, '$queryRaw' | 'charge'>,
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
