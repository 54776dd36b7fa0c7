import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import { ANSWERED } from './history.ts'
import { type AnswerVariant, readVariants } from './variants.ts'

const BATCH_SIZE = 25

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

const SPOKEN = {
  where: { content: { not: '' } },
  orderBy: { role: 'asc' },
  select: SELECT,
} satisfies Prisma.Turn$messagesArgs

/**
 * Reads conversations back: questions and answers, be it in part, those that were set aside included. A question stands
 * before the first of its answers.
 */
export function createTranscripts(prisma: Pick<PrismaClient, 'message' | 'turn'>) {
  return { readTurns, readAll }

  /** @param from The turn to begin with, itself included; the newest one if it is missing. */
  async function readTurns(
    conversationId: bigint,
    { from, towards, take }: { from?: bigint; towards: 'older' | 'newer'; take: number },
  ): Promise<TranscriptTurn[]> {
    const isOlder = towards === 'older'
    const turns = await prisma.turn.findMany({
      // Of long messages a join would make one long JSON of them all.
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
        conversationId: true,
        chatId: true,
        promptMessageId: true,
        messages: SPOKEN,
      },
    })
    const variants = await readVariants(prisma, turns)
    return turns.map(({ id, messages }) => {
      const variant = variants.get(id)
      const entries = messages.map((message) => toEntry(message, variant))
      const isRepeated = variant !== undefined && variant.number > 1
      return { id, entries: entries.filter(({ role }) => role !== 'user' || !isRepeated) }
    })
  }

  async function* readAll(conversationId: bigint): AsyncGenerator<TranscriptEntry, void> {
    const instruction = await prisma.message.findMany({
      where: { conversationId, turnId: null, content: { not: '' } },
      orderBy: { id: 'asc' },
      select: SELECT,
    })
    yield* instruction.map((message) => toEntry(message))
    let from: bigint | undefined = 0n
    while (from !== undefined) {
      const turns = await readTurns(conversationId, { from, towards: 'newer', take: BATCH_SIZE })
      for (const { entries } of turns) yield* entries
      const last = turns.length < BATCH_SIZE ? undefined : turns.at(-1)
      from = last && last.id + 1n
    }
  }
}

export type Transcripts = ReturnType<typeof createTranscripts>

/** A question and its answer, or another answer to the question before it. */
export interface TranscriptTurn {
  id: bigint
  entries: readonly TranscriptEntry[]
}

/** One message of a conversation as people read it back. */
export type TranscriptEntry = ReturnType<typeof toEntry>

function toEntry(
  { turn, ...message }: Prisma.MessageGetPayload<{ select: typeof SELECT }>,
  variant?: AnswerVariant,
) {
  const isQuestion = message.role === 'user'
  const sentAt = isQuestion ? turn?.sentAt : undefined
  const isSetAside = turn != null && turn.setAsideAt !== null
  return {
    ...message,
    createdAt: sentAt ?? message.createdAt,
    firstName: turn?.user.firstName ?? null,
    isSetAside: isQuestion && variant !== undefined ? variant.isQuestionSetAside : isSetAside,
    variant: isQuestion ? undefined : variant,
  }
}
