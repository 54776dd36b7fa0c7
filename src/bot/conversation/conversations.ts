import type { Prisma, PrismaClient } from '../../database/generated/client.ts'

/** The conversation a chat is in. */
export interface CurrentConversation {
  id: bigint
  /** The model chosen for it; null means the default. */
  model: string | null
}

/** Where a conversation is held: a chat, or one topic in it (0 where there are none). */
export interface Place {
  chatId: number
  threadId: number
}

export interface Conversations {
  /** The newest conversation of the place; the first one is made here. */
  current(place: Place): Promise<CurrentConversation>
  /** Begins a new conversation with the model of the one before. */
  begin(place: Place): Promise<CurrentConversation>
  /** Changes the model of the current conversation; null is the default. */
  chooseModel(place: Place, model: string | null): Promise<void>
}

const FIELDS = { id: true, model: true } as const

export function createConversations(prisma: PrismaClient): Conversations {
  return {
    current: (place) => prisma.$transaction((tx) => currentConversation(tx, place)),
    begin: (place) => prisma.$transaction((tx) => newConversation(tx, place)),
    chooseModel: (place, model) =>
      prisma.$transaction(async (tx) => {
        const { id } = await currentConversation(tx, place)
        await tx.conversation.update({ where: { id }, data: { model } })
      }),
  }
}

/** `current()` as a part of a larger transaction, which from here on holds the place's lock. */
export async function currentConversation(
  tx: Prisma.TransactionClient,
  place: Place,
): Promise<CurrentConversation> {
  await lockPlace(tx, place)
  return (await newest(tx, place)) ?? create(tx, place, null)
}

/** `begin()` as a part of a larger transaction. */
export async function newConversation(
  tx: Prisma.TransactionClient,
  place: Place,
): Promise<CurrentConversation> {
  await lockPlace(tx, place)
  const before = await newest(tx, place)
  return create(tx, place, before?.model ?? null)
}

/** One at a time for each place: two first messages must not begin two conversations. */
async function lockPlace(tx: Prisma.TransactionClient, place: Place): Promise<void> {
  const key = `conversation ${place.chatId} ${place.threadId}`
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`
}

function newest(tx: Prisma.TransactionClient, { chatId, threadId }: Place) {
  return tx.conversation.findFirst({
    where: { chatId, threadId },
    orderBy: { id: 'desc' },
    select: FIELDS,
  })
}

function create(
  tx: Prisma.TransactionClient,
  { chatId, threadId }: Place,
  model: string | null,
): Promise<CurrentConversation> {
  return tx.conversation.create({ data: { chatId, threadId, model }, select: FIELDS })
}
