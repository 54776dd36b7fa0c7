import type { Prisma } from '../../database/generated/client.ts'

export interface OrderCharge {
  userId: bigint
  orderId: bigint
  /** ≥ 0. */
  amountMicroRub: bigint
  /** True where it is not known whether the service took the order. */
  estimated: boolean
  /** The clip's price label. */
  item: string
}

/**
 * Notes what an order cost its user, in the transaction that learns its task. Safe to repeat.
 *
 * @returns Whether it was noted now.
 * @throws {RangeError} If the amount is negative.
 */
export async function recordOrderCharge(
  tx: Prisma.TransactionClient,
  charge: OrderCharge,
): Promise<boolean> {
  if (charge.amountMicroRub < 0n) {
    throw new RangeError('Cannot record charge: the amount is negative')
  }
  const data = [{ ...charge, kind: 'order' } as const]
  const { count } = await tx.charge.createMany({ data, skipDuplicates: true })
  return count === 1
}

/**
 * Takes an order's charge back: a new row with the negative amount, in the transaction that ends
 * the order. An order without a charge has nothing to take back. Safe to repeat.
 *
 * @returns Whether it was taken back now.
 */
export async function reverseOrderCharge(
  tx: Prisma.TransactionClient,
  orderId: bigint,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    INSERT INTO bot.charge (user_id, order_id, kind, amount_micro_rub, estimated, item)
    SELECT user_id, order_id, 'reversal', -amount_micro_rub, estimated, item
    FROM bot.charge WHERE order_id = ${orderId} AND kind = 'order'
    ON CONFLICT (order_id, kind) DO NOTHING`
  return count === 1
}
