/**
 * The rows of orders in state `draft`, with everything that their cards show.
 *
 * Invariant: a draft is changed and ordered under the lock of its row: of two presses one decides after the other.
 */
import type { MediaKind } from '../../contract/tasks.ts'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import type { OrderState } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { languageOf, storeUser } from '../people/users.ts'
import type { ChatThread, Sender } from '../telegram/addressing.ts'
import { complete, labelOf, type MediaOptions } from './catalog.ts'
import type { GivenPicture } from './pictures.ts'

const MINUTE_MS = 60_000
const OLD_MS = 24 * 60 * MINUTE_MS
/** How long a card waits for the words in a message that does not answer it. */
const OPEN_MS = 5 * MINUTE_MS

/** A picture that a user gave, or the served picture of an earlier order. */
export type DraftPicture = GivenPicture | { type: 'served'; url: string }

/** The price of each label that can be ordered, in micro-roubles; null if it is not known. JSON has no bigint. */
export type LabelPrices = Readonly<Record<string, string | null>>

/** Everything that only the card of an order needs. */
export interface CardDraft {
  options: MediaOptions
  shownPrices: LabelPrices
  /** Without a description the card asks for one. */
  prompt?: string | undefined
  /** The message as the model would read it, if it did not answer the card: its user chooses who gets it. */
  looseWords?: string | undefined
  picture?: DraftPicture | undefined
}

export interface NewDraft extends ChatThread, CardDraft {
  kind: MediaKind
  user: Sender
  /** The key of the message or press that asked: unique among drafts and orders. */
  originKey: string
  /** The key of the button and the user who tapped: unique among drafts and orders under way. */
  buttonKey?: string | undefined
  replyToMessageId: number
}

/** A draft or a dropped draft. */
export interface Card extends Omit<NewDraft, 'originKey' | 'buttonKey'> {
  id: bigint
  state: OrderState
  messageId: number | undefined
  settings: MediaSettings
  isOld: boolean
}

/** The fields of a card that change while it is used. */
export type CardChange = Partial<CardDraft & Pick<Card, 'kind' | 'state' | 'replyToMessageId'>>

/** The options that a user chose last, by kind. */
export type MediaSettings = { readonly [Kind in MediaKind]?: MediaOptions }

/** @returns Undefined if the message or press has ordered, or another press of the button is under way. */
export function insertDraft(prisma: PrismaClient, draft: NewDraft): Promise<Card | undefined> {
  const { user, originKey, buttonKey, chatId, threadId, kind, replyToMessageId, options } = draft
  const asked = { originKey, ...(buttonKey !== undefined && { buttonKey }) }
  const place = { userId: user.id, chatId, threadId, kind, replyToMessageId }
  const empty = { params: {}, label: labelOf(kind, options) }
  const data = { ...asked, ...place, ...empty, state: 'draft', draft: toJson(draft) } as const
  return prisma.$transaction(async (tx) => {
    await storeUser(tx, user)
    if (buttonKey !== undefined) {
      // Earlier presses were answered by a question, or came to nothing.
      const answered = [
        { statusMessageId: { not: null } },
        { createdAt: { lt: await timeBefore(tx) } },
      ]
      const earlier = {
        buttonKey,
        originKey: { not: originKey },
        state: 'draft',
        OR: answered,
      } as const
      await tx.order.deleteMany({ where: earlier })
    }
    await tx.order.createMany({ data: [data], skipDuplicates: true })
    return readCard(tx, { originKey })
  })
}

/** Reads the newest card of these. @returns Undefined if there is none, or it was ordered. */
export async function readCard(
  prisma: Pick<PrismaClient, 'order' | '$queryRaw'>,
  where: Prisma.OrderWhereInput,
): Promise<Card | undefined> {
  const orderBy = { id: 'desc' } as const
  const row = await prisma.order.findFirst({ where, orderBy, include: { user: true } })
  if (row === null || row.draft === null) return undefined
  const { id, kind, threadId, replyToMessageId, state, statusMessageId, user, createdAt } = row
  const draft = row.draft as unknown as CardDraft
  return {
    ...draft,
    id,
    kind,
    threadId,
    replyToMessageId,
    state,
    options: complete(kind, draft.options),
    chatId: Number(row.chatId),
    messageId: statusMessageId ?? undefined,
    user: {
      id: Number(user.id),
      firstName: user.firstName,
      username: user.username ?? undefined,
      languageCode: languageOf(user),
    },
    settings: user.mediaSettings as MediaSettings,
    isOld: (await readTime(prisma)).getTime() - createdAt.getTime() > OLD_MS,
  }
}

/** Finds the card that a user has just opened in a thread, if it waits for the words. */
export async function findWaiting(
  prisma: PrismaClient,
  { userId, chatId, threadId }: ChatThread & { userId: number },
): Promise<Card | undefined> {
  const createdAt = { gt: await timeBefore(prisma, OPEN_MS) }
  const card = await readCard(prisma, { userId, chatId, threadId, state: 'draft', createdAt })
  return card?.prompt === undefined ? card : undefined
}

/** Changes a card as `decide` says of its row. Returns undefined if there is none, or it was ordered. */
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
    const { kind, state, replyToMessageId } = card
    const endedAt = state === 'draft' ? null : await readTime(tx)
    const data = { kind, state, replyToMessageId, endedAt, draft: toJson(card) }
    await tx.order.update({ where: { id }, data })
    return { card, decision }
  })
}

/**
 * Gives a card the words of a message, which it replies to from then on.
 *
 * @returns Undefined if it has the words of another message.
 */
export async function giveWords(
  prisma: PrismaClient,
  { id }: Card,
  words: CardDraft & Pick<Card, 'replyToMessageId'>,
): Promise<Card | undefined> {
  const { prompt, options, shownPrices, picture } = words
  const change = prompt === undefined ? { options, shownPrices, picture } : words
  const found = await changeCard(prisma, id, (now) =>
    now.state === 'draft' && now.prompt === undefined ? { change } : {},
  )
  const card = found?.card
  const isRepeated = card?.replyToMessageId === words.replyToMessageId
  return card?.prompt === undefined || isRepeated ? card : undefined
}

/** Checks whether a user ordered within the last minute, by the database's clock. Cancelled orders do not count. */
export async function hasJustOrdered(prisma: PrismaClient, userId: number): Promise<boolean> {
  const createdAt = { gt: await timeBefore(prisma) }
  const state = { notIn: ['draft', 'dropped', 'cancelled'] as OrderState[] }
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

async function timeBefore(prisma: Pick<PrismaClient, '$queryRaw'>, ms = MINUTE_MS): Promise<Date> {
  return new Date((await readTime(prisma)).getTime() - ms)
}

function toJson(draft: CardDraft): Prisma.InputJsonObject {
  const { options, shownPrices, prompt, looseWords, picture } = draft
  return { options, shownPrices, prompt, looseWords, picture } as Prisma.InputJsonObject
}
