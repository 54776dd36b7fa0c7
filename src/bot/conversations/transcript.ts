/** Reads conversations for users: questions and whole or partial answers, including answers that were set aside. */
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { ANSWERED } from './history.ts'

export interface TranscriptTurn {
  id: bigint
  entries: readonly TranscriptEntry[]
}

export type TranscriptEntry = ReturnType<typeof toEntry>

interface Stored {
  prisma: Pick<PrismaClient, 'message' | 'turn'>
}

const BATCH_SIZE = 25

const ENTRY = {
  turnId: true,
  role: true,
  content: true,
  createdAt: true,
  model: true,
  promptTokens: true,
  completionTokens: true,
  costMicroRub: true,
  turn: { select: { sentAt: true, setAsideAt: true, user: { select: { firstName: true } } } },
} satisfies Prisma.MessageSelect

/** `from`: the first turn to read, by default the newest. */
export async function readTranscriptTurns(
  { prisma }: Stored,
  conversationId: bigint,
  { from, towards, take }: { from?: bigint; towards: 'older' | 'newer'; take: number },
): Promise<TranscriptTurn[]> {
  const isOlder = towards === 'older'
  const turns = await prisma.turn.findMany({
    // A join would make one long JSON of all messages.
    relationLoadStrategy: 'query',
    where: {
      conversationId,
      ...ANSWERED,
      ...(from !== undefined && { id: isOlder ? { lte: from } : { gte: from } }),
    },
    orderBy: { id: isOlder ? 'desc' : 'asc' },
    take,
    select: {
      id: true,
      messages: { where: { content: { not: '' } }, orderBy: { role: 'asc' }, select: ENTRY },
    },
  })
  return turns.map(({ id, messages }) => ({ id, entries: messages.map(toEntry) }))
}

/** Reads a whole conversation in pieces, its instruction first. */
export async function* readTranscript(
  { prisma }: Stored,
  conversationId: bigint,
): AsyncGenerator<TranscriptEntry, void> {
  const instruction = await prisma.message.findMany({
    where: { conversationId, turnId: null, content: { not: '' } },
    orderBy: { id: 'asc' },
    select: ENTRY,
  })
  yield* instruction.map(toEntry)
  let from: bigint | undefined = 0n
  while (from !== undefined) {
    const asked = { from, towards: 'newer', take: BATCH_SIZE } as const
    const turns = await readTranscriptTurns({ prisma }, conversationId, asked)
    for (const { entries } of turns) yield* entries
    const last = turns.length < BATCH_SIZE ? undefined : turns.at(-1)
    from = last && last.id + 1n
  }
}

function toEntry({ turn, ...message }: Prisma.MessageGetPayload<{ select: typeof ENTRY }>) {
  const sentAt = message.role === 'user' ? turn?.sentAt : undefined
  return {
    ...message,
    createdAt: sentAt ?? message.createdAt,
    firstName: turn?.user.firstName ?? null,
    /** The model no longer reads it. */
    isSetAside: turn != null && turn.setAsideAt !== null,
  }
}
