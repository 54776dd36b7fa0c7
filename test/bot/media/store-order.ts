import { onTestFinished } from 'vitest'
import { OrderRows } from '../../../src/bot/media/order-rows.ts'
import type { OrdersApp } from '../../../src/bot/media/orders-app.ts'
import { placeOrder } from '../../../src/bot/media/place-order.ts'
import { storeUser } from '../../../src/bot/people/users.ts'
import type { ChatThread, Sender } from '../../../src/bot/telegram/addressing.ts'
import type { MediaRequest } from '../../../src/contract/tasks.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createOrdersApp, OURS } from './orders-app.ts'

export interface NewOrder extends ChatThread {
  user: Sender
  originKey: string
  replyToMessageId: number
  media: MediaRequest
  label: string
  priceMicroRub: bigint | null
  pictureHash?: Uint8Array<ArrayBuffer> | null
}

/** Stores and places an order, unless its origin has one. */
export function createOrder(
  app: Pick<OrdersApp, 'prisma' | 'rules' | 'spend'>,
  { user, media, ...order }: NewOrder,
): Promise<bigint> {
  const { originKey, chatId, priceMicroRub } = order
  const { id: userId } = user
  const data = { ...order, userId, kind: media.kind, params: { ...media.request } }
  return app.prisma.$transaction(async (tx) => {
    await storeUser(tx, user)
    const draft = { ...data, state: 'draft' } as const
    const { count } = await tx.order.createMany({ data: draft, skipDuplicates: true })
    const { id } = await tx.order.findUniqueOrThrow({ where: { originKey } })
    if (count === 1) await placeOrder(app, tx, { id, userId, chatId, priceMicroRub })
    return id
  })
}

/** An order of this process, which has the lease. */
export async function storeOrder() {
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  const { prisma } = database
  onTestFinished(database.close)
  const app = createOrdersApp(database)
  const rows = new OrderRows(app)
  const orderId = await createOrder(app, ORDER)
  await prisma.order.updateMany({ data: { leaseOwner: OURS } })
  const order = await rows.readOwn(orderId)
  if (order === undefined) throw new Error('The order was not stored')
  return { prisma, app, rows, order }
}

export const ORDER: NewOrder = {
  user: { id: 501, firstName: 'Anna', languageCode: 'en' },
  chatId: 501,
  threadId: 0,
  originKey: 'message 501 7',
  replyToMessageId: 7,
  media: {
    kind: 'video',
    request: { prompt: 'a fox', duration: 5, quality: '720p', aspect_ratio: '1280:720' },
  },
  label: 'vidgen-720p-5s',
  priceMicroRub: 40_000_000n,
}
