/**
 * Conversations as people read them back: questions and whole or partial answers, including those that were set aside.
 * A question stands before the first of its answers.
 */
import type { Prisma, PrismaClient, Turn } from '../../platform/database/generated/client.ts'
import type { TextVariables } from '../texts/texts.ts'
import { ANSWERED } from './history.ts'

/** A question and its answer, or another answer to the question before it. */
export interface TranscriptTurn {
  id: bigint
  entries: readonly TranscriptEntry[]
}

/** One message of a conversation as people read it back. */
export type TranscriptEntry = ReturnType<typeof toEntry>

/** One of several answers to one question. */
interface AnswerVariant {
  /** From 1, the oldest. */
  number: number
  count: number
  isQuestionSetAside: boolean
}

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

/**
 * Reads some turns of a conversation.
 *
 * @param from The turn to begin with, itself included; the newest one if it is missing.
 */
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
      conversationId: true,
      chatId: true,
      promptMessageId: true,
      messages: { where: { content: { not: '' } }, orderBy: { role: 'asc' }, select: ENTRY },
    },
  })
  const variants = await readVariants(prisma, turns)
  return turns.map(({ id, messages }) => {
    const variant = variants.get(id)
    const isRepeated = variant !== undefined && variant.number > 1
    const shown = messages.filter(({ role }) => role !== 'user' || !isRepeated)
    return { id, entries: shown.map((message) => toEntry(message, variant)) }
  })
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
  yield* instruction.map((message) => toEntry(message))
  let from: bigint | undefined = 0n
  while (from !== undefined) {
    const asked = { from, towards: 'newer', take: BATCH_SIZE } as const
    const turns = await readTranscriptTurns({ prisma }, conversationId, asked)
    for (const { entries } of turns) yield* entries
    const last = turns.length < BATCH_SIZE ? undefined : turns.at(-1)
    from = last && last.id + 1n
  }
}

/** Returns the texts that number an answer of several, and mark answers that the model no longer reads. */
export function standingOf({
  variant,
  isSetAside,
}: Pick<TranscriptEntry, 'variant' | 'isSetAside'>): readonly {
  key: string
  variables?: TextVariables
}[] {
  const setAside = isSetAside ? [{ key: 'history-set-aside' }] : []
  if (variant === undefined) return setAside
  const { number, count, isQuestionSetAside } = variant
  const replaced = isSetAside && !isQuestionSetAside ? [{ key: 'history-replaced' }] : setAside
  return [{ key: 'history-variant', variables: { number, count } }, ...replaced]
}

function toEntry(
  { turn, ...message }: Prisma.MessageGetPayload<{ select: typeof ENTRY }>,
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

/**
 * Finds the turns of a conversation that gave the same question another answer. An attempt replaces the one before it;
 * a question that was edited begins anew.
 *
 * Attempts are found between the first and the last of their messages: by the conversation all of it would be read.
 */
async function readVariants(
  prisma: Stored['prisma'],
  turns: readonly Pick<Turn, 'conversationId' | 'chatId' | 'promptMessageId'>[],
): Promise<ReadonlyMap<bigint, AnswerVariant>> {
  const [first] = turns
  if (first === undefined) return new Map()
  const { conversationId, chatId } = first
  const asked = turns.map((turn) => turn.promptMessageId)
  const attempts = await prisma.turn.findMany({
    relationLoadStrategy: 'query',
    where: { chatId, promptMessageId: { gte: Math.min(...asked), lte: Math.max(...asked) } },
    orderBy: { attempt: 'asc' },
    select: {
      id: true,
      conversationId: true,
      replacesId: true,
      state: true,
      setAsideAt: true,
      messages: { where: ANSWERED.messages.some, select: { role: true } },
    },
  })
  const beginnings = new Map<bigint, bigint>()
  for (const { id, replacesId } of attempts) {
    beginnings.set(id, (replacesId === null ? undefined : beginnings.get(replacesId)) ?? id)
  }
  const answered = attempts.filter(
    ({ conversationId: id, state, messages }) =>
      id === conversationId &&
      messages.length > 0 &&
      ANSWERED.state.in.some((ended) => ended === state),
  )
  const groups = Map.groupBy(answered, ({ id }) => beginnings.get(id)).values()
  return new Map(groups.filter(({ length }) => length > 1).flatMap((group) => toVariants(group)))
}

function toVariants(
  group: readonly Pick<Turn, 'id' | 'setAsideAt'>[],
): (readonly [bigint, AnswerVariant])[] {
  const isQuestionSetAside = group.every(({ setAsideAt }) => setAsideAt !== null)
  const count = group.length
  return group.map(({ id }, index) => [id, { number: index + 1, count, isQuestionSetAside }])
}
