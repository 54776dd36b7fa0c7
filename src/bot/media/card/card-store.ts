import type { MediaKind } from '../../../contract/media.ts'
import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import type { OrderCardState } from '../../../platform/database/generated/enums.ts'
import { languageOf, storeUser } from '../../people/users.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import type { Sender } from '../../telegram/addressing/sender.ts'
import { complete, type MediaOptions } from '../options/catalog.ts'
import type { GivenPicture } from '../picture/read-picture.ts'
import type { LabelPrices } from './card-prices.ts'

export interface NewCard extends ChatThread {
  kind: MediaKind
  user: Sender
  /** The key of what asked for it: of cards with one key there is one, the first. */
  originKey: string
  /** The command, or the message with the words. */
  replyToMessageId: number
  state: OrderCardState
  /** One of each option of the kind. */
  options: MediaOptions
  /** Null while its user is asked for the words. */
  prompt: string | null
  /** The words with what may be an option left in, where its user is asked whether it is one. */
  literalPrompt: string | null
  picture: GivenPicture | undefined
  /** The prices that stand on the card. */
  shownPrices: LabelPrices
}

export interface Card extends Omit<NewCard, 'originKey'> {
  id: bigint
  /** Undefined where it is not known whether the message was sent. */
  cardMessageId: number | undefined
  askMessageId: number | undefined
  /** True if it is more than a day old: nothing is ordered with it any more. */
  isOld: boolean
}

/** The fields of a card that change while it is used. */
export type CardChange = Partial<Pick<Card, 'state' | 'options' | 'prompt' | 'shownPrices'>>

const WITH_USER = { user: true } as const
type CardRow = Prisma.OrderCardGetPayload<{ include: typeof WITH_USER }>

/** The cards in the database. */
export function createCardStore(prisma: PrismaClient) {
  return { insert, find, findByMessage, hasOrder, change, recordMessage, takeWords }

  /** Stores a card, and its user, unless what asked for it has one; then that one is given back. */
  async function insert({ user, ...card }: NewCard): Promise<Card> {
    const { originKey, chatId, threadId, kind, replyToMessageId, state, options } = card
    const { prompt, literalPrompt, picture, shownPrices } = card
    const where = { originKey }
    const data = {
      originKey,
      userId: user.id,
      chatId,
      threadId,
      replyToMessageId,
      kind,
      state,
      params: { ...options },
      shownPrices: toJson(shownPrices),
      prompt,
      literalPrompt,
      ...(picture && { picture: { ...picture } }),
    }
    return prisma.$transaction(async (tx) => {
      await storeUser(tx, user)
      await tx.orderCard.createMany({ data: [data], skipDuplicates: true })
      const { id } = await tx.orderCard.findUniqueOrThrow({ where, select: { id: true } })
      const stored = await readLocked(tx, id)
      if (stored === undefined) throw new Error(`Cannot read card ${id}: it is gone`)
      return stored
    })
  }

  /** The card that a message shows, or for which it asks the words. */
  async function findByMessage({
    chatId,
    messageId,
  }: {
    chatId: number
    messageId: number
  }): Promise<Card | undefined> {
    const where = {
      chatId,
      OR: [{ cardMessageId: messageId }, { askMessageId: messageId }],
    }
    const found = await prisma.orderCard.findFirst({ where, select: { id: true } })
    return found === null ? undefined : readLocked(prisma, found.id)
  }

  function find(id: bigint): Promise<Card | undefined> {
    return readLocked(prisma, id)
  }

  /** Checks whether the card has made its order. */
  async function hasOrder(id: bigint): Promise<boolean> {
    return (await prisma.order.count({ where: { originKey: cardOrigin(id) } })) > 0
  }

  /**
   * Changes a card as `decide` says of how it stands. Of several who change it one decides after the other.
   *
   * @returns The card after it, and what was decided; undefined where there is no such card.
   */
  async function change<Decision extends { type: string; change?: CardChange | undefined }>(
    id: bigint,
    decide: (card: Card) => Decision,
  ): Promise<{ card: Card; decision: Decision } | undefined> {
    return prisma.$transaction(async (tx) => {
      const card = await readLocked(tx, id)
      if (card === undefined) return undefined
      const decision = decide(card)
      const { change: changed } = decision
      if (changed === undefined) return { card, decision }
      const { options, shownPrices, ...fields } = changed
      const params = options && { params: { ...options } }
      const prices = shownPrices && { shownPrices: toJson(shownPrices) }
      await tx.orderCard.update({ where: { id }, data: { ...fields, ...params, ...prices } })
      return { card: { ...card, ...changed }, decision }
    })
  }

  /** Records the message that shows a card, or the one that asks for its words. */
  async function recordMessage(
    id: bigint,
    message: { cardMessageId: number } | { askMessageId: number },
  ): Promise<void> {
    await prisma.orderCard.updateMany({ where: { id }, data: message })
  }

  /**
   * Records that a reply's words are ordered.
   *
   * @returns False where another reply's were before: this one is a second thought, or no order at all.
   */
  async function takeWords(id: bigint, wordsMessageId: number): Promise<boolean> {
    const where = { id, OR: [{ wordsMessageId: null }, { wordsMessageId }] }
    return (await prisma.orderCard.updateMany({ where, data: { wordsMessageId } })).count === 1
  }
}

export type CardStore = ReturnType<typeof createCardStore>

/** Makes the origin key of the order that a card makes: one, however often the card is tapped. */
export function cardOrigin(cardId: bigint): string {
  return `card ${cardId}`
}

/** Holds the row until the end of the transaction. The database says how old it is. */
async function readLocked(tx: Prisma.TransactionClient, id: bigint): Promise<Card | undefined> {
  const [age] = await tx.$queryRaw<{ isOld: boolean }[]>`
    SELECT now() - created_at > interval '1 day' AS "isOld"
    FROM bot.order_card WHERE id = ${id} FOR UPDATE`
  const row = await tx.orderCard.findUnique({ where: { id }, include: WITH_USER })
  return row === null || age === undefined ? undefined : toCard(row, age.isOld)
}

function toCard({ user, ...row }: CardRow, isOld: boolean): Card {
  const { id, kind, threadId, replyToMessageId, state, prompt, literalPrompt } = row
  const { params, picture, shownPrices } = row
  const prices = Object.entries(shownPrices as PricesJson)
  return {
    id,
    kind,
    threadId,
    replyToMessageId,
    state,
    prompt,
    literalPrompt,
    isOld,
    chatId: Number(row.chatId),
    user: {
      id: Number(user.id),
      firstName: user.firstName,
      username: user.username ?? undefined,
      languageCode: languageOf(user),
    },
    options: complete(kind, params as MediaOptions),
    picture: (picture ?? undefined) as GivenPicture | undefined,
    shownPrices: new Map(
      prices.map(([label, price]) => [
        label,
        price && { ...price, microRub: BigInt(price.microRub) },
      ]),
    ),
    cardMessageId: row.cardMessageId ?? undefined,
    askMessageId: row.askMessageId ?? undefined,
  }
}

/** JSON has no integers as large as money may be. */
type PricesJson = Record<string, { microRub: string; estimated: boolean } | null>

function toJson(prices: LabelPrices): PricesJson {
  return Object.fromEntries(
    [...prices].map(([label, price]) => [
      label,
      price && { ...price, microRub: String(price.microRub) },
    ]),
  )
}
