import type { ChatMessage } from '../../../contract/chat.ts'
import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import { readCurrentConversation } from './conversations.ts'
import { toSummaryMessage } from './summary-messages.ts'

/** One message as the model reads it. */
export type ModelMessage = ChatMessage

/** One message of a conversation and the turn that it belongs to. */
export interface HistoryEntry {
  turnId: bigint | null
  message: ModelMessage
  isSummary: boolean
}

export interface HistoryOptions {
  conversationId: bigint
  /** The turn that is to be answered; where it is missing, the one that comes next. */
  turn?: { id: bigint; promptMessageId: number }
}

/** Turns to which the user got an answer, be it in part. */
export const ANSWERED = {
  state: { in: ['finished', 'stopped', 'interrupted'] },
  messages: { some: { role: { not: 'user' }, content: { not: '' } } },
} satisfies Prisma.TurnWhereInput

/**
 * Reads the messages of a conversation up to the turn's own, in order; its instruction stands first, then a summary
 * of the messages before.
 *
 * A turn counts once it was answered, be it in part. Those that failed, were stopped before anything
 * came, wait for their user's decision or were set aside are left out, and so are other answers to the
 * turn's own message.
 *
 * By two statements without a join, each through an index of the conversation: a plan made for no conversation in
 * particular serves the longest as well. Turns are read first: a turn that has ended has its messages by then, and
 * messages of one that ends between the two are left out with it.
 */
export async function readHistory(
  prisma: Pick<PrismaClient, 'turn' | 'message'>,
  { conversationId, turn }: HistoryOptions,
): Promise<HistoryEntry[]> {
  const ended = await prisma.turn.findMany({
    where: { conversationId, setAsideAt: null, state: ANSWERED.state, ...isBefore(turn) },
    select: { id: true },
  })
  const messages = await prisma.message.findMany({
    where: { conversationId, content: { not: '' } },
    select: { turnId: true, role: true, content: true },
    orderBy: [{ turnId: { sort: 'asc', nulls: 'first' } }, { id: 'asc' }],
  })
  const answered = new Set(messages.map(({ turnId, role }) => (role === 'user' ? null : turnId)))
  const counting = new Set(ended.map(({ id }) => id).filter((id) => answered.has(id)))
  const entries = messages
    .filter(({ turnId, role }) => {
      if (turnId === null || counting.has(turnId)) return true
      return turnId === turn?.id && role === 'user'
    })
    .map(({ turnId, role, content }) => {
      const isSummary = turnId !== null && role === 'system'
      const message = isSummary ? toSummaryMessage(content) : { role, content }
      return { turnId, isSummary, message }
    })
  return entries.toSorted((one, other) => rankOf(one) - rankOf(other))
}

function isBefore(turn: HistoryOptions['turn']): Prisma.TurnWhereInput {
  if (turn === undefined) return {}
  // A summary made meanwhile stands for what was before the turn, too.
  const earlier = { id: { lt: turn.id }, promptMessageId: { not: turn.promptMessageId } }
  return { OR: [{ kind: 'summary' }, earlier] }
}

function rankOf({ turnId, isSummary }: HistoryEntry): number {
  if (turnId === null) return 0
  return isSummary ? 1 : 2
}

/** Returns whether the next message of a thread is read with the text of a file before it. */
export async function isFileInHistory(
  prisma: Pick<PrismaClient, 'conversation' | 'turn'>,
  thread: ChatThread,
  fileUniqueId: string,
): Promise<boolean> {
  const current = await readCurrentConversation(prisma, thread)
  if (current === null) return false
  const isRead = { fileIds: { has: fileUniqueId }, setAsideAt: null, ...ANSWERED }
  return (await prisma.turn.count({ where: { conversationId: current.id, ...isRead } })) > 0
}
