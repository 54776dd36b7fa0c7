/**
 * Begins, enters and reads the conversations of a thread, and changes the model and instruction of each.
 *
 * Invariant: a transaction that changes which conversation a thread is in holds the thread's lock, so that two first
 * messages do not begin two conversations.
 */
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { ChatThread } from '../telegram/addressing.ts'

export interface CurrentConversation {
  id: bigint
  /** Null means the default. */
  model: string | null
  /** The history's tokens when a summary was offered last. */
  summaryOfferedTokens: number | null
}

type Tx = Prisma.TransactionClient

interface Stored {
  prisma: PrismaClient
}

/** In Unicode code points: one message has room for it and a line above it. */
export const INSTRUCTION_CHARS_MAX = 4_000

const FIELDS = { id: true, model: true, summaryOfferedTokens: true } as const

/** Returns the conversation that the thread entered last; begins the first conversation. */
export function conversationOf(
  { prisma }: Stored,
  thread: ChatThread,
): Promise<CurrentConversation> {
  return prisma.$transaction((tx) => currentConversation(tx, thread))
}

/** Begins a conversation with the same instruction and its user's model, in a group the previous model. */
export function beginConversation(
  { prisma }: Stored,
  thread: ChatThread,
): Promise<CurrentConversation & { leftId: bigint | undefined }> {
  return prisma.$transaction((tx) => newConversation(tx, thread))
}

/** Returns to a conversation of the thread. A running answer continues in its own conversation. */
export function enterConversation(
  { prisma }: Stored,
  thread: ChatThread,
  id: bigint,
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    await lockThread(tx, thread)
    const { chatId, threadId } = thread
    const count = await tx.$executeRaw`
      UPDATE bot.conversation SET entered_at = clock_timestamp()
      WHERE id = ${id} AND chat_id = ${chatId} AND thread_id = ${threadId}`
    return count === 1
  })
}

/** Changes the model of the thread's conversation, in a private chat also of its user's new conversations. */
export function chooseModel({ prisma }: Stored, thread: ChatThread, model: string): Promise<void> {
  return prisma.$transaction(async (tx) => {
    const { id } = await currentConversation(tx, thread)
    await tx.conversation.update({ where: { id }, data: { model } })
    if (thread.chatId < 0) return
    await tx.user.updateMany({ where: { id: thread.chatId }, data: { defaultModel: model } })
  })
}

/** The instruction is a system message without a turn, which the model reads first. */
export async function readInstruction(
  app: Stored,
  thread: ChatThread,
): Promise<string | undefined> {
  const { id } = await conversationOf(app, thread)
  return (await app.prisma.message.findFirst({ where: instructionOf(id) }))?.content
}

/** Returns whether there was an instruction. */
export function setInstruction(
  { prisma }: Stored,
  thread: ChatThread,
  instruction: { content: string; authorId: number } | undefined,
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const { id } = await currentConversation(tx, thread)
    const { count } = await tx.message.deleteMany({ where: instructionOf(id) })
    if (instruction) await tx.message.create({ data: { ...instructionOf(id), ...instruction } })
    return count > 0
  })
}

/** `conversationOf()` as a part of a larger transaction, which then holds the thread's lock. */
export async function currentConversation(
  tx: Tx,
  thread: ChatThread,
): Promise<CurrentConversation> {
  await lockThread(tx, thread)
  await addFirstConversation(tx, thread)
  const current = await readCurrentConversation(tx, thread)
  if (current === null) throw new Error('Cannot begin conversation: it is neither new nor there')
  return current
}

/** Takes no lock; safe to repeat. In a private chat the model is its user's choice; no member chooses for a group. */
export async function addFirstConversation(
  tx: Pick<Tx, '$executeRaw'>,
  { chatId, threadId }: ChatThread,
): Promise<void> {
  // By plain SQL: Prisma Client makes a new plan for each createMany().
  await tx.$executeRaw`
    INSERT INTO bot.conversation (chat_id, thread_id, is_first, model)
    SELECT ${chatId}::bigint, ${threadId}::int, true,
      (SELECT default_model FROM bot."user" WHERE id = ${chatId}::bigint AND id > 0)
    WHERE NOT EXISTS (
      SELECT FROM bot.conversation WHERE chat_id = ${chatId}::bigint AND thread_id = ${threadId}::int)
    ON CONFLICT DO NOTHING`
}

/** `beginConversation()` as a part of a larger transaction. */
export async function newConversation(
  tx: Tx,
  thread: ChatThread,
): Promise<CurrentConversation & { leftId: bigint | undefined }> {
  await lockThread(tx, thread)
  const { chatId, threadId } = thread
  const before = await readCurrentConversation(tx, thread)
  const user = chatId < 0 ? null : await tx.user.findUnique({ where: { id: chatId } })
  const model = user?.defaultModel ?? before?.model ?? null
  const instructions = before ? await tx.message.findMany({ where: instructionOf(before.id) }) : []
  const create = instructions.map(({ role, content, authorId }) => ({ role, content, authorId }))
  const begun = await tx.conversation.create({
    data: { chatId, threadId, model, messages: { create } },
    select: FIELDS,
  })
  return { ...begun, leftId: before?.id }
}

/** Takes no lock. */
export function readCurrentConversation(
  prisma: Pick<Tx, 'conversation'>,
  { chatId, threadId }: ChatThread,
): Promise<CurrentConversation | null> {
  return prisma.conversation.findFirst({
    where: { chatId, threadId },
    orderBy: [{ enteredAt: 'desc' }, { id: 'desc' }],
    select: FIELDS,
  })
}

async function lockThread(tx: Tx, { chatId, threadId }: ChatThread): Promise<void> {
  const key = `conversation ${chatId} ${threadId}`
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`
}

function instructionOf(conversationId: bigint) {
  return { conversationId, turnId: null, role: 'system' } as const
}
