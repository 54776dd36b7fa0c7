import type { Prisma } from '../../platform/database/generated/client.ts'
import type { App } from '../context.ts'
import { readFormat } from '../people/chats.ts'
import { currentConversation, newConversation } from './conversations.ts'
import type { ChooseModel, Turn } from './turn.ts'

/** The way in which a further attempt begins. */
export interface Replacement {
  conversation: 'same' | 'current' | 'new'
  setAsideIds?: readonly bigint[]
  isVariant?: true
  originKey: string
  /** True if the messages that stood for the turn become those of the reply. */
  inPlace: boolean
  chooseModel: ChooseModel
}

type AttemptsApp = Pick<App, 'prisma' | 'leaseOwner'>

/**
 * Begins the next attempt, and sets the turn that it replaces aside; its cost stays. A variant is begun beside it,
 * as long as no message came after it. Safe to repeat: a turn is replaced once. Nothing is done
 * if it was set aside for another reason.
 */
export async function replaceTurn(
  { prisma, leaseOwner }: AttemptsApp,
  turn: Turn,
  how: Replacement,
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const isOpen = how.isVariant ? await isLast(tx, turn) : await setAside(tx, [turn.id])
    if (!isOpen) return
    await setAside(tx, how.setAsideIds ?? [])
    const { id: conversationId, model } = await conversationFor(tx, turn, how.conversation)
    const prompt = await tx.message.findMany({
      where: { turnId: turn.id, role: 'user' },
      select: { role: true, content: true },
    })
    await tx.turn.create({
      data: {
        ...(await nextAttempt(tx, turn)),
        conversationId,
        replacesId: turn.id,
        originKey: how.originKey,
        model: how.chooseModel(model),
        state: 'waiting',
        leaseOwner,
        // Without `set` Prisma would make a plan for each list, and keep it.
        messageIds: { set: how.inPlace ? turn.messageIds : [] },
        maybeDoubleIds: { set: how.inPlace ? turn.maybeDoubleIds : [] },
        messages: { create: prompt.map((message) => ({ ...message, conversationId })) },
      },
    })
    if (how.setAsideIds === undefined) return
    await tx.conversation.update({ where: { id: turn.conversationId }, data: { warnedAt: null } })
  })
}

/** Begins an attempt that asks whether the turn is to be run again with another text. @returns Its id. */
export async function offerEdit(
  { prisma, leaseOwner }: AttemptsApp,
  turn: Turn,
  text: string,
): Promise<bigint> {
  const { conversationId, model } = turn
  const { id } = await prisma.$transaction(async (tx) =>
    tx.turn.create({
      data: {
        ...(await nextAttempt(tx, turn)),
        conversationId,
        model,
        state: 'held',
        heldReason: 'edited',
        leaseOwner,
        messages: { create: { conversationId, role: 'user', content: text } },
      },
      select: { id: true },
    }),
  )
  return id
}

/** Finds the turns that an edited question and all that came after it have in the conversation. */
export async function findBranch({ prisma }: Pick<App, 'prisma'>, edited: Turn): Promise<bigint[]> {
  const { conversationId, chatId, promptMessageId } = edited
  const live = {
    conversationId,
    setAsideAt: null,
    // The turns before stay summed up.
    kind: 'answer',
    state: { notIn: ['held', 'declined'] },
  } satisfies Prisma.TurnWhereInput
  const first = await prisma.turn.findFirst({
    where: { ...live, chatId, promptMessageId },
    orderBy: { id: 'asc' },
    select: { id: true },
  })
  if (first === null) return []
  const where = { ...live, id: { gte: first.id } }
  const turns = await prisma.turn.findMany({ where, select: { id: true } })
  return turns.map(({ id }) => id)
}

/** @returns Whether one of them was not set aside before. */
async function setAside(tx: Prisma.TransactionClient, ids: readonly bigint[]): Promise<boolean> {
  const where = { id: { in: [...ids] }, setAsideAt: null }
  const { count } = await tx.turn.updateMany({ where, data: { setAsideAt: new Date() } })
  return count > 0
}

/** No turn of it begins in the meantime. */
async function isLast(
  tx: Prisma.TransactionClient,
  { id, conversationId }: Turn,
): Promise<boolean> {
  await tx.$executeRaw`SELECT FROM bot.conversation WHERE id = ${conversationId} FOR UPDATE`
  const last = await tx.turn.findFirst({
    where: { conversationId },
    orderBy: { id: 'desc' },
    select: { id: true, setAsideAt: true },
  })
  return last?.id === id && last.setAsideAt === null
}

async function nextAttempt(
  tx: Prisma.TransactionClient,
  { kind, chatId, threadId, userId, promptMessageId, sentAt, unseen, fileIds, ...turn }: Turn,
) {
  const where = { chatId, promptMessageId }
  const { _max } = await tx.turn.aggregate({ where, _max: { attempt: true } })
  // The user who wants it answered after that question has seen the price.
  const asksPrice = turn.asksPrice && turn.heldReason !== 'price'
  const attempt = (_max.attempt ?? 0) + 1
  const format = await readFormat(tx, chatId)
  return { ...where, kind, threadId, userId, sentAt, format, unseen, fileIds, asksPrice, attempt }
}

function conversationFor(
  tx: Prisma.TransactionClient,
  turn: Turn,
  conversation: Replacement['conversation'],
) {
  switch (conversation) {
    case 'same':
      return tx.conversation.findUniqueOrThrow({
        where: { id: turn.conversationId },
        select: { id: true, model: true },
      })
    case 'current':
      return currentConversation(tx, turn)
    case 'new':
      return newConversation(tx, turn)
  }
}
