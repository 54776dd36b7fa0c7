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
 * @throws {RangeError} If the amount is negative.
 */
export async function recordOrderCharge(
  tx: Prisma.TransactionClient,
  charge: OrderCharge,
): Promise<void> {
  if (charge.amountMicroRub < 0n) {
    throw new RangeError('Cannot record charge: the amount is negative')
  }
  const data = [{ ...charge, kind: 'order' } as const]
  await tx.charge.createMany({ data, skipDuplicates: true })
}

/**
 * Takes an order's charge back: a new row with the negative amount, in the transaction that ends
 * the order. An order without a charge has nothing to take back. Once, whichever way; safe to repeat.
 *
 * @param kind `reversal` where the service gave the price back, `write_off` where it keeps it: without the
 *   write-offs, the charges come to what the service has charged.
 */
export async function takeBackOrderCharge(
  tx: Prisma.TransactionClient,
  orderId: bigint,
  kind: 'reversal' | 'write_off',
): Promise<void> {
  const charge = await tx.charge.findUnique({
    where: { orderId_kind: { orderId, kind: 'order' } },
    select: { userId: true, orderId: true, amountMicroRub: true, estimated: true, item: true },
  })
  if (charge === null) return
  const data = [{ ...charge, kind, amountMicroRub: -charge.amountMicroRub }]
  await tx.charge.createMany({ data, skipDuplicates: true })
}
