import type { PrismaClient, Turn } from '../../../platform/database/generated/client.ts'
import type { TextVariables } from '../../locales/texts.ts'
import { ANSWERED } from './history.ts'

/** One of several answers to one question. */
export interface AnswerVariant {
  /** From 1, the oldest. */
  number: number
  count: number
  isQuestionSetAside: boolean
}

/**
 * Finds which turns of a conversation gave the same question another answer.
 *
 * An attempt replaces the one before it; a question that was edited begins anew. Attempts are found between the
 * first and the last of their messages, answers by their turns: by the conversation all of it would be read.
 *
 * @returns The variants by their turns; a turn whose answer is the only one is missing.
 */
export async function readVariants(
  prisma: Pick<PrismaClient, 'turn' | 'message'>,
  turns: readonly Pick<Turn, 'conversationId' | 'chatId' | 'promptMessageId'>[],
): Promise<ReadonlyMap<bigint, AnswerVariant>> {
  const [first] = turns
  if (first === undefined) return new Map()
  const { conversationId, chatId } = first
  const asked = turns.map((turn) => turn.promptMessageId)
  const attempts = await prisma.turn.findMany({
    where: { chatId, promptMessageId: { gte: Math.min(...asked), lte: Math.max(...asked) } },
    orderBy: { attempt: 'asc' },
    select: { id: true, conversationId: true, replacesId: true, state: true, setAsideAt: true },
  })
  const beginnings = new Map<bigint, bigint>()
  for (const { id, replacesId } of attempts) {
    beginnings.set(id, (replacesId === null ? undefined : beginnings.get(replacesId)) ?? id)
  }
  const ended = attempts.filter(
    (attempt) => attempt.conversationId === conversationId && hasEnded(attempt),
  )
  const several = severalOf(ended)
  const answers =
    several.length === 0
      ? []
      : await prisma.message.findMany({
          where: { turnId: { in: several.flat().map(({ id }) => id) }, ...ANSWERED.messages.some },
          select: { turnId: true },
        })
  const answered = new Set(answers.map(({ turnId }) => turnId))
  const groups = severalOf(several.flat().filter(({ id }) => answered.has(id)))
  return new Map(groups.flatMap(toVariants))

  function severalOf(all: typeof attempts): (typeof attempts)[] {
    const groups = Map.groupBy(all, ({ id }) => beginnings.get(id))
    return [...groups.values()].filter(({ length }) => length > 1)
  }
}

function hasEnded({ state }: Pick<Turn, 'state'>): boolean {
  return ANSWERED.state.in.some((ended) => ended === state)
}

function toVariants(
  group: readonly Pick<Turn, 'id' | 'setAsideAt'>[],
): (readonly [bigint, AnswerVariant])[] {
  const isQuestionSetAside = group.every(({ setAsideAt }) => setAsideAt !== null)
  const count = group.length
  return group.map(({ id }, index) => [id, { number: index + 1, count, isQuestionSetAside }])
}

/** Returns the texts that say which answer of several a message is, and that the model does not read it any more. */
export function standingOf({
  variant,
  isSetAside,
}: {
  variant: AnswerVariant | undefined
  isSetAside: boolean
}): readonly { key: string; variables?: TextVariables }[] {
  const setAside = isSetAside ? [{ key: 'history-set-aside' }] : []
  if (variant === undefined) return setAside
  const { number, count, isQuestionSetAside } = variant
  const replaced = isSetAside && !isQuestionSetAside ? [{ key: 'history-replaced' }] : setAside
  return [{ key: 'history-variant', variables: { number, count } }, ...replaced]
}
