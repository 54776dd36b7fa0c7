import type { MediaKind } from '../../../contract/tasks.ts'
import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import type { OrderCardState } from '../../../platform/database/generated/enums.ts'
import { languageOf, storeUser } from '../../people/users.ts'
import type { ChatThread, Sender } from '../../telegram/addressing.ts'
import { complete, type MediaOptions } from '../catalog.ts'
import type { GivenPicture } from '../picture/read-picture.ts'
import type { LabelPrices } from './card-prices.ts'

export interface NewCard extends ChatThread {
  kind: MediaKind
  user: Sender
  /** The key of what asked for it: of cards with one key there is one, the first. */
  originKey: string
  replyToMessageId: number
  wordsMessageId: number | null
  state: OrderCardState
  options: MediaOptions
  prompt: string | null
  /** The words with what may be an option left in, where its user is asked whether it is one. */
  literalPrompt: string | null
  /** The message as the model would read it, where it did not answer the card: its user is asked whose it is. */
  looseWords: string | null
  picture: GivenPicture | undefined
  shownPrices: LabelPrices
}

export interface Card extends Omit<NewCard, 'originKey'> {
  id: bigint
  cardMessageId: number | undefined
  isOld: boolean
  /** True if it is so new that a message which does not answer it may be meant for it. */
  isNew: boolean
}

/** The fields of a card that change while it is used. */
export type CardChange = Partial<
  Pick<
    Card,
    | 'kind'
    | 'state'
    | 'options'
    | 'prompt'
    | 'literalPrompt'
    | 'looseWords'
    | 'wordsMessageId'
    | 'replyToMessageId'
    | 'picture'
    | 'shownPrices'
  >
>

const WITH_USER = { user: true } as const
type CardRow = Prisma.OrderCardGetPayload<{ include: typeof WITH_USER }>

/** The cards in the database. */
export function createCardStore(prisma: PrismaClient) {
  return {
    insert,
    isOpened,
    find,
    findByMessage,
    findByWords,
    hasOrder,
    change,
    close,
    recordMessage,
  }

  async function insert({ user, ...card }: NewCard): Promise<Card> {
    const { originKey, chatId, threadId, kind, replyToMessageId, state, options } = card
    const { wordsMessageId, prompt, literalPrompt, looseWords, picture, shownPrices } = card
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
      looseWords,
      wordsMessageId,
      ...(picture && { picture: { ...picture } }),
    }
    return prisma.$transaction(async (tx) => {
      await storeUser(tx, user)
      const { count } = await tx.orderCard.createMany({ data: [data], skipDuplicates: true })
      const { id } = await tx.orderCard.findUniqueOrThrow({ where, select: { id: true } })
      if (count === 1 && state === 'words') await setOpen(tx, user.id, id)
      const stored = await readLocked(tx, id)
      if (stored === undefined) throw new Error(`Cannot read card ${id}: it is gone`)
      return stored
    })
  }

  async function isOpened(originKey: string): Promise<boolean> {
    return (await prisma.orderCard.count({ where: { originKey } })) > 0
  }

  async function findByMessage({
    chatId,
    messageId,
  }: {
    chatId: number
    messageId: number
  }): Promise<Card | undefined> {
    return findFirst({ chatId, cardMessageId: messageId })
  }

  async function findByWords({
    userId,
    chatId,
    messageId,
  }: {
    userId: number
    chatId: number
    messageId: number
  }): Promise<Card | undefined> {
    return findFirst({ userId, chatId, wordsMessageId: messageId })
  }

  async function findFirst(where: Prisma.OrderCardWhereInput): Promise<Card | undefined> {
    const found = await prisma.orderCard.findFirst({ where, select: { id: true } })
    return found === null ? undefined : readLocked(prisma, found.id)
  }

  function find(id: bigint): Promise<Card | undefined> {
    return readLocked(prisma, id)
  }

  async function hasOrder(id: bigint): Promise<boolean> {
    return (await prisma.order.count({ where: { originKey: cardOrigin(id) } })) > 0
  }

  /** Of several who change it one decides after the other. */
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
      const { options, shownPrices, picture, ...fields } = changed
      const params = options && { params: { ...options } }
      const prices = shownPrices && { shownPrices: toJson(shownPrices) }
      const given = picture && { picture: { ...picture } }
      const data = { ...fields, ...params, ...prices, ...given }
      await tx.orderCard.update({ where: { id }, data })
      const isOver = card.state === 'words' && (changed.state ?? 'words') !== 'words'
      if (isOver) await setOpen(tx, card.user.id, null, id)
      return { card: { ...card, ...changed }, decision }
    })
  }

  async function close(id: bigint, userId: number): Promise<void> {
    await setOpen(prisma, userId, null, id)
  }

  async function recordMessage(id: bigint, cardMessageId: number): Promise<void> {
    await prisma.orderCard.updateMany({ where: { id }, data: { cardMessageId } })
  }
}

/** @param before Only where it is this one. */
async function setOpen(
  tx: Prisma.TransactionClient,
  userId: number,
  openCardId: bigint | null,
  before?: bigint,
): Promise<void> {
  const where = { id: userId, ...(before !== undefined && { openCardId: before }) }
  await tx.user.updateMany({ where, data: { openCardId } })
}

export type CardStore = ReturnType<typeof createCardStore>

/** Makes the origin key of the order that a card makes: one, however often the card is tapped. */
export function cardOrigin(cardId: bigint): string {
  return `card ${cardId}`
}

/** Holds the row until the end of the transaction. The database says how old it is. */
async function readLocked(tx: Prisma.TransactionClient, id: bigint): Promise<Card | undefined> {
  const [age] = await tx.$queryRaw<Pick<Card, 'isOld' | 'isNew'>[]>`
    SELECT now() - created_at > interval '1 day' AS "isOld",
      now() - created_at < interval '1 hour' AS "isNew"
    FROM bot.order_card WHERE id = ${id} FOR UPDATE`
  const row = await tx.orderCard.findUnique({ where: { id }, include: WITH_USER })
  return row === null || age === undefined ? undefined : toCard(row, age)
}

function toCard({ user, ...row }: CardRow, age: Pick<Card, 'isOld' | 'isNew'>): Card {
  const { id, kind, threadId, replyToMessageId, wordsMessageId, state } = row
  const { params, prompt, literalPrompt, looseWords, picture, shownPrices } = row
  const prices = Object.entries(shownPrices as PricesJson)
  return {
    id,
    kind,
    threadId,
    replyToMessageId,
    state,
    prompt,
    literalPrompt,
    looseWords,
    wordsMessageId,
    ...age,
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
      prices.map(([label, price]) => [label, price === null ? null : BigInt(price)]),
    ),
    cardMessageId: row.cardMessageId ?? undefined,
  }
}

/** JSON has no integers as large as money may be. */
type PricesJson = Record<string, string | null>

function toJson(prices: LabelPrices): PricesJson {
  return Object.fromEntries(
    [...prices].map(([label, price]) => [label, price === null ? null : String(price)]),
  )
}
