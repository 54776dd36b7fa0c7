import type { PrismaClient, Turn } from '../../../platform/database/generated/client.ts'
import type { TextVariables } from '../../locales/texts.ts'
import { ANSWERED } from './history.ts'

/** One of several answers to one question. */
export interface Variant {
  /** From 1, the oldest. */
  number: number
  count: number
  /** True if the model reads none of them any more. */
  isQuestionSetAside: boolean
}

/**
 * Finds which turns of a conversation gave the same question another answer.
 *
 * An attempt replaces the one before it; a question that was edited begins anew.
 *
 * @returns The variants by their turns; a turn whose answer is the only one is missing.
 */
export async function readVariants(
  prisma: Pick<PrismaClient, 'turn'>,
  turns: readonly Pick<Turn, 'id' | 'conversationId' | 'chatId' | 'promptMessageId'>[],
): Promise<ReadonlyMap<bigint, Variant>> {
  const [first] = turns
  if (first === undefined) return new Map()
  const { conversationId, chatId } = first
  const promptMessageId = { in: turns.map((turn) => turn.promptMessageId) }
  const where = { conversationId, chatId, promptMessageId }
  const attempts = await prisma.turn.findMany({
    where,
    orderBy: { attempt: 'asc' },
    select: { id: true, replacesId: true },
  })
  const answered = await prisma.turn.findMany({
    where: { ...where, ...ANSWERED },
    orderBy: { attempt: 'asc' },
    select: { id: true, setAsideAt: true },
  })
  const beginnings = new Map<bigint, bigint>()
  for (const { id, replacesId } of attempts) {
    beginnings.set(id, (replacesId === null ? undefined : beginnings.get(replacesId)) ?? id)
  }
  const groups = Map.groupBy(answered, ({ id }) => beginnings.get(id))
  const variants = [...groups.values()].flatMap((group) => {
    const isQuestionSetAside = group.every(({ setAsideAt }) => setAsideAt !== null)
    const count = group.length
    return group.map(
      ({ id }, index) => [id, { number: index + 1, count, isQuestionSetAside }] as const,
    )
  })
  return new Map(variants.filter(([, { count }]) => count > 1))
}

/** Returns the texts that say which answer of several a message is, and that the model does not read it any more. */
export function standingOf({
  variant,
  isSetAside,
}: {
  variant: Variant | undefined
  isSetAside: boolean
}): readonly { key: string; variables?: TextVariables }[] {
  const setAside = isSetAside ? [{ key: 'history-set-aside' }] : []
  if (variant === undefined) return setAside
  const { number, count, isQuestionSetAside } = variant
  const replaced = isSetAside && !isQuestionSetAside ? [{ key: 'history-replaced' }] : setAside
  return [{ key: 'history-variant', variables: { number, count } }, ...replaced]
}
