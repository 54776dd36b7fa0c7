import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'

const PAGE_SIZE = 10

/** Nothing was ordered with the others. */
const ORDERED = { state: { notIn: ['draft', 'dropped'] } } satisfies Prisma.OrderWhereInput

const WITH_COST = {
  user: { select: { language: true, languageCode: true } },
  charges: { select: { amountMicroRub: true } },
} as const

/** An order as its user reads it back. */
export type ListedOrder = Prisma.OrderGetPayload<{ include: typeof WITH_COST }>

/** One page, newest first. */
export interface OrderPage {
  index: number
  orders: readonly ListedOrder[]
  hasOlder: boolean
}

/** The user whose orders are read, and the chat. */
export interface ListReader {
  userId: number
  chatId: number
}

/** The orders that users read back: all of theirs in a private chat, in a group those that it saw. */
export function createOrderList(prisma: Pick<PrismaClient, 'order'>) {
  return { readPage, find, findSeen }

  async function readPage(reader: ListReader, index: number): Promise<OrderPage> {
    const rows = await prisma.order.findMany({
      where: whereOf(reader),
      include: WITH_COST,
      orderBy: { id: 'desc' },
      skip: index * PAGE_SIZE,
      take: PAGE_SIZE + 1,
    })
    return { index, orders: rows.slice(0, PAGE_SIZE), hasOlder: rows.length > PAGE_SIZE }
  }

  async function find(reader: ListReader, id: bigint): Promise<ListedOrder | undefined> {
    const where = { ...whereOf(reader), id }
    return (await prisma.order.findFirst({ where, include: WITH_COST })) ?? undefined
  }

  async function findSeen(
    { userId, chatId }: ListReader,
    id: bigint,
  ): Promise<ListedOrder | undefined> {
    const where = { ...ORDERED, id, OR: [{ userId }, { chatId }] }
    return (await prisma.order.findFirst({ where, include: WITH_COST })) ?? undefined
  }
}

export type OrderList = ReturnType<typeof createOrderList>

/** A group's list holds that chat's orders only: all of its members read it. */
function whereOf({ userId, chatId }: ListReader) {
  return { ...ORDERED, ...(chatId < 0 ? { userId, chatId } : { userId }) }
}
