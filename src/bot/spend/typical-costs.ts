import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Models } from '../models.ts'

/** A question of two or three sentences, and an answer of about 200 words in English or Russian. */
export const SHORT_TURN = { promptTokens: 50, completionTokens: 300 }

/** The user's last charges of all chats and kinds, of which those here count. */
const CHARGES_READ = 200
/** Fewer messages say little of what is typical. */
const MESSAGES_MIN = 3

export interface TypicalCosts {
  /** True if they are by the user's own messages here, not by a short question with its answer. */
  isOwn: boolean
  of: (model: string) => bigint | undefined
}

/**
 * Reads what a message of a user in a chat typically costs with each model.
 *
 * With a model that has answered the user here three times or more of late, it is the median of what those messages
 * cost. With another it is the median length of the user's messages here and of their answers, at that
 * model's prices; for who has asked less than three times, of a short question with its answer. It is an
 * estimate all the same: a conversation grows dearer, and a model may write more than another.
 */
export async function readTypicalCosts(
  {
    prisma,
    models,
  }: { prisma: Pick<PrismaClient, 'charge'>; models: Pick<Models, 'price' | 'pricesOf'> },
  { userId, chatId }: { userId: number; chatId: number },
): Promise<TypicalCosts> {
  // Read by user alone, through their index: how many of them are of the chat is not known before.
  const charges = await prisma.charge.findMany({
    where: { userId },
    orderBy: { createdAt: 'desc' },
    take: CHARGES_READ,
    select: {
      chatId: true,
      kind: true,
      item: true,
      promptTokens: true,
      completionTokens: true,
      amountMicroRub: true,
    },
  })
  const messages = charges.flatMap(({ promptTokens, completionTokens, ...charge }) => {
    const isMessage = charge.kind === 'answer' || charge.kind === 'retry'
    const isHere = charge.chatId === BigInt(chatId) && charge.amountMicroRub > 0n
    // Of an answer that broke off nobody knows the length, and its cost is the most that it might have been.
    const isCounted = promptTokens !== null && completionTokens !== null
    return isMessage && isHere && isCounted ? [{ ...charge, promptTokens, completionTokens }] : []
  })
  const isOwn = messages.length >= MESSAGES_MIN
  const size = isOwn
    ? {
        promptTokens: median(messages.map((message) => message.promptTokens)),
        completionTokens: median(messages.map((message) => message.completionTokens)),
      }
    : SHORT_TURN
  return { isOwn, of }

  function of(model: string): bigint | undefined {
    const costs = messages.filter(({ item }) => item === model).map((one) => one.amountMicroRub)
    if (costs.length >= MESSAGES_MIN) return median(costs)
    const { promptMicroRubPer1m, completionMicroRubPer1m } = models.pricesOf(model)
    const isPriced = promptMicroRubPer1m !== undefined && completionMicroRubPer1m !== undefined
    return isPriced ? models.price(model, size) : undefined
  }
}

/** Returns the middle one, of an even number the smaller of the two. There is one at least. */
function median<T extends number | bigint>(values: readonly T[]): T {
  const sorted = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
  return sorted[Math.floor((sorted.length - 1) / 2)] as T
}
