import { Prisma } from '../../../platform/database/generated/client.ts'
import type { Calendar } from '../calendar.ts'
import { checkChargeAmount } from './amount.ts'
import { REVERSAL_COLUMNS, recordCharges } from './record-charges.ts'

export interface OrderCharge {
  orderId: bigint
  /** ≥ 0. */
  amountMicroRub: bigint
  /** True where the price was not reported, or it is not known whether the service took the order. */
  estimated: boolean
}

/** The columns of an order that give the charge its user and its item. */
const ORDER_COLUMNS = {
  user_id: Prisma.sql`user_id`,
  chat_id: Prisma.sql`chat_id`,
  order_id: Prisma.sql`id`,
  kind: Prisma.sql`kind::text::bot.charge_kind`,
  item: Prisma.sql`label`,
  task_id: Prisma.sql`task_id`,
} as const

/**
 * Records what an order cost its user, in the transaction that learns its task and after the statement that
 * changes the order. Its reservation ends. Safe to repeat.
 *
 * @throws {RangeError} If no charge can be of this amount.
 */
export async function recordOrderCharge(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  { orderId, amountMicroRub, estimated }: OrderCharge,
  calendar: Calendar,
): Promise<void> {
  const charges = recordCharges({
    columns: {
      ...ORDER_COLUMNS,
      amount_micro_rub: Prisma.sql`${checkChargeAmount(amountMicroRub)}::bigint`,
      estimated: Prisma.sql`${estimated}::boolean`,
    },
    from: Prisma.sql`FROM bot."order" WHERE id = ${orderId}`,
    over: Prisma.sql`SELECT 'order'::bot.reservation_kind, ${orderId}::bigint`,
    calendar,
  })
  await tx.$executeRaw`WITH ${charges} SELECT FROM charged`
}

/**
 * Takes an order's charge back: a new row with the negative amount, in the transaction that ends
 * the order. An order without a charge has nothing to take back. Once, whichever way; safe to repeat.
 *
 * @param how `reversal` where the service gave the price back, `write_off` where it keeps it: without the
 *   write-offs, the charges come to what the service has charged.
 */
export async function takeBackOrderCharge(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  orderId: bigint,
  how: 'reversal' | 'write_off',
  calendar: Calendar,
): Promise<void> {
  const reversal = recordCharges({
    columns: { ...REVERSAL_COLUMNS, written_off: Prisma.sql`${how === 'write_off'}::boolean` },
    from: Prisma.sql`FROM bot.charge WHERE order_id = ${orderId} AND reversal_of IS NULL`,
    calendar,
  })
  await tx.$executeRaw`WITH ${reversal} SELECT FROM charged`
}
