/**
 * The rows of orders in state `draft`, with everything that their cards show.
 *
 * Invariant: a draft is changed and ordered under the lock of its row: of two presses one decides after the other.
 */
import type { MediaKind } from '../../contract/tasks.ts'
import { Prisma, type PrismaClient } from '../../platform/database/generated/client.ts'
import type { OrderState } from '../../platform/database/generated/enums.ts'
import { readTime } from '../../platform/database/prisma.ts'
import { languageOf, storeUser } from '../people/users.ts'
import type { ChatThread, Sender } from '../telegram/addressing.ts'
import type { MessageRef } from '../telegram/send.ts'
import { complete, labelOf, type MediaOptions } from './catalog.ts'
import type { GivenPicture } from './pictures.ts'

const OLD_MS = 24 * 3_600_000
/** A card may be ordered after so many orders that came after it. */
const LAST_MAX = 10

/** A picture that a user gave, or the served picture of an earlier order. */
export type DraftPicture = GivenPicture | { type: 'served'; url: string }

/** The price of each label that can be ordered, in micro-roubles; null if it is not known. JSON has no bigint. */
export type LabelPrices = Readonly<Record<string, string | null>>

/** Everything that only the card of an order needs. */
export interface CardDraft {
  /** `words`: the description. `choice`: one of what exists. `confirmation`: a yes to the price. */
  asks: 'words' | 'choice' | 'confirmation'
  options: MediaOptions
  shownPrices: LabelPrices
  prompt?: string | undefined
  /** Each choice answers all questions. */
  choices?: readonly MediaOptions[] | undefined
  /** The description if the words in question are no options. */
  literalPrompt?: string | undefined
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
    if (buttonKey !== undefined) await deleteEarlier(tx, { buttonKey, originKey })
    await tx.order.createMany({ data: [data], skipDuplicates: true })
    return readCard(tx, { originKey })
  })
}

/** Deletes the drafts of earlier presses: they were answered by a question, or came to nothing. */
async function deleteEarlier(
  tx: Prisma.TransactionClient,
  { buttonKey, originKey }: { buttonKey: string; originKey: string },
): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM bot."order"
    WHERE button_key = ${buttonKey} AND origin_key <> ${originKey} AND state = 'draft'
      AND (status_message_id IS NOT NULL OR created_at < now() - interval '1 minute')`
}

/** @returns Undefined if there is none, or it was ordered. */
export async function readCard(
  prisma: Pick<PrismaClient, 'order' | '$queryRaw'>,
  where: Prisma.OrderWhereInput,
): Promise<Card | undefined> {
  const row = await prisma.order.findFirst({ where, include: { user: true } })
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

/** Finds the card that a message shows, as long as it can be used. */
export function findShown(
  prisma: PrismaClient,
  { chatId, messageId: statusMessageId }: MessageRef,
): Promise<Card | undefined> {
  return readCard(prisma, { chatId, statusMessageId, state: 'draft' })
}

/** Finds the card that a user has just opened in a thread and that waits for the words. */
export async function findWaiting(
  prisma: PrismaClient,
  { userId, chatId, threadId }: ChatThread & { userId: number },
): Promise<Card | undefined> {
  const [found] = await prisma.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM bot."order"
    WHERE user_id = ${userId} AND chat_id = ${chatId} AND thread_id = ${threadId}
      AND state = 'draft' AND draft ->> 'asks' = 'words'
      AND created_at > now() - interval '5 minutes'
    ORDER BY id DESC LIMIT 1`
  return found && readCard(prisma, { id: found.id })
}

/** Checks whether a message has become an order. */
export async function isOrderedBy(
  prisma: PrismaClient,
  { userId, chatId, messageId: replyToMessageId }: MessageRef & { userId: number },
): Promise<boolean> {
  const where = { userId, chatId, replyToMessageId, draft: { equals: Prisma.DbNull } }
  return (await prisma.order.count({ where })) > 0
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
  const { asks, options, shownPrices, picture } = words
  const change = asks === 'words' ? { options, shownPrices, picture } : words
  const found = await changeCard(prisma, id, (now) =>
    now.state === 'draft' && now.asks === 'words' ? { change } : {},
  )
  const card = found?.card
  const isRepeated = card?.replyToMessageId === words.replyToMessageId
  return card?.asks === 'words' || isRepeated ? card : undefined
}

/** Checks whether a user ordered within the last minute, by the database's clock. Cancelled orders do not count. */
export async function hasJustOrdered(prisma: PrismaClient, userId: number): Promise<boolean> {
  const [last] = await prisma.$queryRaw<{ isNew: boolean | null }[]>`
    SELECT max(created_at) > now() - interval '1 minute' AS "isNew" FROM (
      SELECT created_at FROM bot."order"
      WHERE user_id = ${userId} AND state NOT IN ('draft', 'dropped', 'cancelled')
      ORDER BY id DESC LIMIT ${LAST_MAX}
    ) AS last`
  return last?.isNew ?? false
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

function toJson(draft: CardDraft): Prisma.InputJsonObject {
  const { asks, options, shownPrices, prompt, choices, literalPrompt, looseWords, picture } = draft
  const words = { prompt, choices, literalPrompt, looseWords, picture }
  return { asks, options, shownPrices, ...words } as Prisma.InputJsonObject
}
