import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import { readCurrentConversation } from '../../conversations/conversations.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import type { Prompt } from '../../telegram/addressing/to-prompt.ts'
import { TURN_RELATIONS, type Turn, toTurn } from './turn.ts'

const NEWEST = { orderBy: { id: 'desc' } } as const

/** Finds turns as they are stored, with their relations. */
export function createStoredTurns(prisma: PrismaClient) {
  return {
    read,
    find,
    findSuccessor,
    findAttempts,
    findLast,
    findBefore,
    findByOrigin,
    isLast,
    countBefore,
    isOvertaken,
  }

  async function read(id: bigint): Promise<Turn | undefined> {
    return findFirst({ id })
  }

  async function find({
    chatId,
    messageId: promptMessageId,
  }: Pick<Prompt, 'chatId' | 'messageId'>): Promise<Turn | undefined> {
    const where = { chatId, promptMessageId, attempt: 1 }
    // Nearly every message is new, and what hangs on a turn is read by queries of its own.
    const found = await prisma.turn.findFirst({ where, select: { id: true } })
    return found === null ? undefined : read(found.id)
  }

  async function findSuccessor({ id }: Pick<Turn, 'id'>): Promise<Turn | undefined> {
    return findFirst({ replacesId: id })
  }

  async function findAttempts(
    chatId: number,
    promptMessageId: number,
  ): Promise<{ turn: Turn; text: string }[]> {
    const turns = await prisma.turn.findMany({
      where: { chatId, promptMessageId },
      include: {
        ...TURN_RELATIONS,
        messages: { select: { role: true, ...TURN_RELATIONS.messages.select } },
      },
      orderBy: { attempt: 'asc' },
    })
    return turns.map(({ messages, ...row }) => ({
      turn: toTurn({ ...row, messages: messages.filter(({ role }) => role !== 'user') }),
      text: messages.find(({ role }) => role === 'user')?.content ?? '',
    }))
  }

  async function findLast(thread: ChatThread): Promise<Turn | undefined> {
    const current = await readCurrentConversation(prisma, thread)
    return current === null ? undefined : findFirst({ conversationId: current.id }, NEWEST)
  }

  async function findBefore({ id, chatId, threadId }: Turn): Promise<Turn[]> {
    const where = { chatId, threadId, id: { lt: id } }
    const rows = await prisma.turn.findMany({ where, ...NEWEST, take: 2, include: TURN_RELATIONS })
    return rows.map(toTurn)
  }

  async function findByOrigin(originKey: string): Promise<Turn | undefined> {
    return findFirst({ originKey })
  }

  async function isLast({ id, chatId, threadId }: Turn): Promise<boolean> {
    const where = { chatId, threadId, id: { gt: id } }
    return (await prisma.turn.findFirst({ where, select: { id: true } })) === null
  }

  async function findFirst(
    where: Prisma.TurnWhereInput,
    order: Pick<Prisma.TurnFindFirstArgs, 'orderBy'> = {},
  ): Promise<Turn | undefined> {
    const row = await prisma.turn.findFirst({ where, ...order, include: TURN_RELATIONS })
    return row === null ? undefined : toTurn(row)
  }

  /**
   * Checks whether a reply before a turn in its thread went on in a message below that turn's own. What only explains a
   * reply that was cut short does not count.
   */
  async function isOvertaken({ id, chatId, threadId, messageIds }: Turn): Promise<boolean> {
    const before = { chatId, threadId, id: { lt: id }, state: { not: 'interrupted' as const } }
    const last = await prisma.turn.findFirst({
      where: { ...before, OR: [{ errorCode: null }, { errorCode: { not: 'cut_short' } }] },
      ...NEWEST,
      select: { messageIds: true },
    })
    return Math.max(0, ...(last?.messageIds ?? [])) > Math.max(...messageIds)
  }

  function countBefore({ id, chatId, threadId }: Turn): Promise<number> {
    // Those that have not ended have an index.
    const open = { endedAt: null, state: { in: ['streaming' as const, 'waiting' as const] } }
    return prisma.turn.count({ where: { chatId, threadId, id: { lt: id }, ...open } })
  }
}
