import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'

/** The conversation a chat is in. */
export interface CurrentConversation {
  id: bigint
  /** The model chosen for it; null means the default. */
  model: string | null
}

/** One that has just begun. */
export interface NewConversation extends CurrentConversation {
  leftId: bigint | undefined
}

const FIELDS = { id: true, model: true } as const

export function createConversations(prisma: PrismaClient) {
  return { current, begin, enter, chooseModel, isAt }

  /** The conversation of the thread that was entered last; the first one is made here. */
  function current(thread: ChatThread): Promise<CurrentConversation> {
    return prisma.$transaction((tx) => currentConversation(tx, thread))
  }

  /** Begins a new conversation with its user's model, in a group the one before's, and the same instruction. */
  function begin(thread: ChatThread): Promise<NewConversation> {
    return prisma.$transaction((tx) => newConversation(tx, thread))
  }

  /** An answer that is being written goes on in its own one. */
  function enter(thread: ChatThread, id: bigint): Promise<boolean> {
    return prisma.$transaction(async (tx) => {
      await lockThread(tx, thread)
      const { chatId, threadId } = thread
      const count = await tx.$executeRaw`
        UPDATE bot.conversation SET entered_at = clock_timestamp()
        WHERE id = ${id} AND chat_id = ${chatId} AND thread_id = ${threadId}`
      return count === 1
    })
  }

  /** In a private chat it is the user's choice for new conversations as well. */
  function chooseModel(thread: ChatThread, model: string): Promise<void> {
    return prisma.$transaction(async (tx) => {
      const { id } = await currentConversation(tx, thread)
      await tx.conversation.update({ where: { id }, data: { model } })
      if (!isPrivate(thread)) return
      await tx.user.updateMany({ where: { id: thread.chatId }, data: { defaultModel: model } })
    })
  }

  async function isAt(id: bigint, { chatId, threadId }: ChatThread): Promise<boolean> {
    return (await prisma.conversation.count({ where: { id, chatId, threadId } })) === 1
  }
}

export type Conversations = ReturnType<typeof createConversations>

/** `current()` as a part of a larger transaction, which from here on holds the thread's lock. */
export async function currentConversation(
  tx: Prisma.TransactionClient,
  thread: ChatThread,
): Promise<CurrentConversation> {
  await lockThread(tx, thread)
  const current = await readCurrentConversation(tx, thread)
  if (current !== null) return current
  const { chatId, threadId } = thread
  const model = await usersModel(tx, thread)
  // A message that comes at the same time may begin it, without the lock: `begin-turn.ts`.
  const first = { chatId, threadId, model, isFirst: true }
  await tx.conversation.createMany({ data: [first], skipDuplicates: true })
  const begun = await readCurrentConversation(tx, thread)
  if (begun === null) throw new Error('Cannot begin conversation: it is neither new nor there')
  return begun
}

/** `begin()` as a part of a larger transaction. */
export async function newConversation(
  tx: Prisma.TransactionClient,
  thread: ChatThread,
): Promise<NewConversation> {
  await lockThread(tx, thread)
  const before = await readCurrentConversation(tx, thread)
  const begun = await create(tx, thread, (await usersModel(tx, thread)) ?? before?.model ?? null)
  if (before !== null) {
    const instruction = await tx.message.findMany({
      where: { conversationId: before.id, turnId: null, role: 'system' },
      select: { role: true, content: true, authorId: true },
    })
    const data = instruction.map((message) => ({ ...message, conversationId: begun.id }))
    await tx.message.createMany({ data })
  }
  return { ...begun, leftId: before?.id }
}

/** Lets one transaction at a time change a thread's conversations: two first messages must not begin two. */
async function lockThread(tx: Prisma.TransactionClient, thread: ChatThread): Promise<void> {
  const key = `conversation ${thread.chatId} ${thread.threadId}`
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`
}

/** The conversation of a thread as it is just now, if there is one. Takes no lock. */
export function readCurrentConversation(
  prisma: Pick<Prisma.TransactionClient, 'conversation'>,
  { chatId, threadId }: ChatThread,
): Promise<CurrentConversation | null> {
  return prisma.conversation.findFirst({
    where: { chatId, threadId },
    orderBy: [{ enteredAt: 'desc' }, { id: 'desc' }],
    select: FIELDS,
  })
}

/** Reads the model that the user of a private chat chose; a group has none, since one member does not choose for all. */
async function usersModel(
  tx: Prisma.TransactionClient,
  thread: ChatThread,
): Promise<string | null> {
  if (!isPrivate(thread)) return null
  const where = { id: thread.chatId }
  const user = await tx.user.findUnique({ where, select: { defaultModel: true } })
  return user?.defaultModel ?? null
}

function create(
  tx: Prisma.TransactionClient,
  { chatId, threadId }: ChatThread,
  model: string | null,
): Promise<CurrentConversation> {
  return tx.conversation.create({ data: { chatId, threadId, model }, select: FIELDS })
}

/** A private chat has its user's id; those of groups are negative. */
function isPrivate({ chatId }: ChatThread): boolean {
  return chatId > 0
}
