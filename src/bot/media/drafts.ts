/**
 * The rows of orders in state `draft`, with everything that their cards show.
 *
 * Invariant: a draft is changed and ordered under the lock of its row: of two presses one decides after the other.
 */
import type { MediaKind } from '../../contract/tasks.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { languageOf, storeUser } from '../people/users.ts'
import type { ChatThread, Sender } from '../telegram/addressing.ts'
import { complete, labelOf, type MediaOptions } from './catalog.ts'
import type { GivenPicture } from './pictures.ts'

const MINUTE_MS = 60_000
/** How long a card waits for the words in a message that does not answer it. */
const OPEN_MS = 5 * MINUTE_MS

/** A picture that a user gave, or the served picture of an earlier order. */
export type DraftPicture = GivenPicture | { type: 'served'; url: string }

/** The price of each label that can be ordered, in micro-roubles; null if it is not known. JSON has no bigint. */
export type LabelPrices = Readonly<Record<string, string | null>>

export interface CardDraft {
  options: MediaOptions
  shownPrices: LabelPrices
  /** Without a description the card asks for one. */
  prompt?: string | undefined
  picture?: DraftPicture | undefined
}

export interface NewDraft extends ChatThread, CardDraft {
  kind: MediaKind
  user: Sender
  /** The key of the message or press that asked: unique among drafts and orders. */
  originKey: string
  replyToMessageId: number
}

export interface Card extends Omit<NewDraft, 'originKey'> {
  id: bigint
  messageId: number | undefined
}

export type CardChange = Partial<CardDraft & Pick<Card, 'replyToMessageId'>>

/** The options that a user chose last, by kind. */
type MediaSettings = { readonly [Kind in MediaKind]?: MediaOptions }

/** @returns Undefined if the message or press has ordered. */
export function insertDraft(prisma: PrismaClient, draft: NewDraft): Promise<Card | undefined> {
  const { user, originKey, chatId, threadId, kind, replyToMessageId, options } = draft
  const place = { userId: user.id, chatId, threadId, kind, originKey, replyToMessageId }
  const empty = { params: {}, label: labelOf(kind, options) }
  const data = { ...place, ...empty, state: 'draft', draft: toJson(draft) } as const
  return prisma.$transaction(async (tx) => {
    await storeUser(tx, user)
    await tx.order.createMany({ data: [data], skipDuplicates: true })
    return readCard(tx, { originKey })
  })
}

/** @returns Undefined if there is no card, or the newest card was ordered. */
export async function readCard(
  prisma: Pick<PrismaClient, 'order'>,
  where: Prisma.OrderWhereInput,
): Promise<Card | undefined> {
  const row = await prisma.order.findFirst({
    where: { ...where, state: 'draft' },
    orderBy: { id: 'desc' },
    include: { user: true },
  })
  if (row === null) return undefined
  const { id, kind, threadId, replyToMessageId, statusMessageId, user } = row
  const draft = row.draft as unknown as CardDraft
  return {
    ...draft,
    id,
    kind,
    threadId,
    replyToMessageId,
    options: complete(kind, draft.options),
    chatId: Number(row.chatId),
    messageId: statusMessageId ?? undefined,
    user: {
      id: Number(user.id),
      firstName: user.firstName,
      username: user.username ?? undefined,
      languageCode: languageOf(user),
    },
  }
}

export async function findWaiting(
  prisma: PrismaClient,
  { userId, chatId, threadId }: ChatThread & { userId: number },
): Promise<Card | undefined> {
  const createdAt = { gt: await timeBefore(prisma, OPEN_MS) }
  const card = await readCard(prisma, { userId, chatId, threadId, createdAt })
  return card?.prompt === undefined ? card : undefined
}

/** Returns undefined if there is no card, or it was ordered. */
export async function changeCard<Decision extends { change?: CardChange | undefined }>(
  prisma: PrismaClient,
  id: bigint,
  decide: (card: Card) => Decision,
): Promise<{ card: Card; decision: Decision } | undefined> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT FROM bot."order" WHERE id = ${id} FOR UPDATE`
    const before = await readCard(tx, { id })
    if (before === undefined) return undefined
    const decision = decide(before)
    if (decision.change === undefined) return { card: before, decision }
    const card = { ...before, ...decision.change }
    const data = { replyToMessageId: card.replyToMessageId, draft: toJson(card) }
    await tx.order.update({ where: { id }, data })
    return { card, decision }
  })
}

/** The card replies to that message from then on. @returns Undefined if it has the words of another message. */
export async function giveWords(
  prisma: PrismaClient,
  { id }: Card,
  words: CardDraft & Pick<Card, 'replyToMessageId'>,
): Promise<Card | undefined> {
  const { prompt, options, shownPrices, picture } = words
  const change = prompt === undefined ? { options, shownPrices, picture } : words
  const found = await changeCard(prisma, id, (now) => (now.prompt === undefined ? { change } : {}))
  const card = found?.card
  const isRepeated = card?.replyToMessageId === words.replyToMessageId
  return card?.prompt === undefined || isRepeated ? card : undefined
}

/** By the database's clock. Cancelled orders do not count. */
export async function hasJustOrdered(prisma: PrismaClient, userId: number): Promise<boolean> {
  const createdAt = { gt: await timeBefore(prisma, MINUTE_MS) }
  const state = { notIn: ['draft', 'cancelled'] as ('draft' | 'cancelled')[] }
  return (await prisma.order.count({ where: { userId, createdAt, state } })) > 0
}

export async function readMediaSettings(
  prisma: PrismaClient,
  userId: number,
  kind: MediaKind,
): Promise<MediaOptions> {
  const where = { id: userId }
  const user = await prisma.user.findUnique({ where, select: { mediaSettings: true } })
  return complete(kind, (user?.mediaSettings as MediaSettings | undefined)?.[kind] ?? {})
}

/** One statement, since two taps may come at once. */
export async function saveSettings(
  prisma: PrismaClient,
  { user, kind, options }: Pick<Card, 'user' | 'kind' | 'options'>,
): Promise<void> {
  const chosen = JSON.stringify({ [kind]: options })
  await prisma.$executeRaw`
    UPDATE bot."user" SET media_settings = media_settings || ${chosen}::jsonb
    WHERE id = ${user.id}`
}

async function timeBefore(prisma: Pick<PrismaClient, '$queryRaw'>, ms: number): Promise<Date> {
  return new Date((await readTime(prisma)).getTime() - ms)
}

function toJson(draft: CardDraft): Prisma.InputJsonObject {
  const { options, shownPrices, prompt, picture } = draft
  return { options, shownPrices, prompt, picture } as Prisma.InputJsonObject
}
