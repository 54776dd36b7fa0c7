import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { ANSWERED } from './history.ts'

const BATCH_SIZE = 50

/** Oldest first: the instruction, which has no turn, then the turns in the order in which they began. */
const IN_ORDER = [
  { turnId: { sort: 'asc', nulls: 'first' } },
  { id: 'asc' },
] satisfies Prisma.MessageOrderByWithRelationInput[]

const SELECT = {
  id: true,
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

/** Reads conversations back: what was asked and answered, be it in part, also where it was set aside. */
export function createTranscripts(prisma: Pick<PrismaClient, 'message'>) {
  return { readPage, readAll }

  /**
   * @param page 0 is the newest one.
   * @returns The page in order of time, without the instruction; undefined where there is none.
   */
  async function readPage(
    conversationId: bigint,
    { page, size }: { page: number; size: number },
  ): Promise<{ entries: TranscriptEntry[]; hasOlder: boolean } | undefined> {
    const found = await prisma.message.findMany({
      where: { conversationId, content: { not: '' }, turn: ANSWERED },
      orderBy: [{ turnId: 'desc' }, { id: 'desc' }],
      skip: page * size,
      take: size + 1,
      select: SELECT,
    })
    if (found.length === 0) return undefined
    const entries = found.slice(0, size).reverse().map(toEntry)
    return { entries, hasOlder: found.length > size }
  }

  /** Reads a whole conversation without ever holding more than a few messages of it. */
  async function* readAll(conversationId: bigint): AsyncGenerator<TranscriptEntry, void> {
    let last: { id: bigint; turnId: bigint | null } | undefined
    for (;;) {
      const found = await prisma.message.findMany({
        where: {
          conversationId,
          content: { not: '' },
          AND: [{ OR: [{ turnId: null }, { turn: ANSWERED }] }, last ? { OR: after(last) } : {}],
        },
        orderBy: IN_ORDER,
        take: BATCH_SIZE,
        select: SELECT,
      })
      yield* found.map(toEntry)
      last = found.at(-1)
      if (last === undefined || found.length < BATCH_SIZE) return
    }
  }
}

export type Transcripts = ReturnType<typeof createTranscripts>

/** What follows a message in that order. */
function after({ id, turnId }: { id: bigint; turnId: bigint | null }) {
  const later = turnId === null ? { not: null } : { gt: turnId }
  return [{ turnId, id: { gt: id } }, { turnId: later }]
}

/** One message of a conversation as people read it back. */
export type TranscriptEntry = ReturnType<typeof toEntry>

function toEntry({ turn, ...message }: Prisma.MessageGetPayload<{ select: typeof SELECT }>) {
  const sentAt = message.role === 'user' ? turn?.sentAt : undefined
  return {
    ...message,
    createdAt: sentAt ?? message.createdAt,
    /** Of who asked. */
    firstName: turn?.user.firstName ?? null,
    /** Whether the model does not read it any more. */
    isSetAside: turn != null && turn.setAsideAt !== null,
  }
}
