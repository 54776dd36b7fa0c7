import type { Pool } from 'pg'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import { currentConversation, newConversation } from '../conversation/conversations.ts'
import { readTurns } from './read-turns.ts'
import type { ChooseModel, Turn } from './turns.ts'

/** How a further attempt comes about. */
export interface Replacement {
  /** Which conversation it belongs to. */
  conversation: 'same' | 'current' | 'new'
  /** Turns that the model does not read any more, beside the one that is replaced. */
  setAsideIds?: readonly bigint[]
  /** Whether the reply takes the place of the messages that stood for the turn. */
  inPlace: boolean
  chooseModel: ChooseModel
}

/** The attempts at answering one message: further ones are turns of their own. */
export function createAttempts({ prisma, pool }: { prisma: PrismaClient; pool: Pool }) {
  return { byId, ofPrompt, successorOf, replace, offerEdit, changePrompt, branchIds, decline }

  async function byId(id: bigint): Promise<Turn | undefined> {
    const [turn] = await readTurns(pool, { by: 'id', values: [id] })
    return turn
  }

  /** Oldest first, with the text that each one asks. */
  async function ofPrompt(
    chatId: number,
    promptMessageId: number,
  ): Promise<{ turn: Turn; text: string }[]> {
    const turns = await readTurns(pool, { by: 'prompt', values: [chatId, promptMessageId] })
    const prompts = await prisma.message.findMany({
      where: { turnId: { in: turns.map(({ id }) => id) }, role: 'user' },
      select: { turnId: true, content: true },
    })
    const texts = new Map(prompts.map(({ turnId, content }) => [turnId, content]))
    return turns.map((turn) => ({ turn, text: texts.get(turn.id) ?? '' }))
  }

  async function successorOf({ id }: Turn): Promise<Turn | undefined> {
    const [turn] = await readTurns(pool, { by: 'replaces_id', values: [id] })
    return turn
  }

  /**
   * Begins the next attempt in the place of a turn, which is set aside; its cost stays. Safe to
   * repeat: a turn is replaced once.
   *
   * @returns The attempt, whoever began it; undefined if the turn was set aside for another reason.
   */
  async function replace(turn: Turn, how: Replacement): Promise<Turn | undefined> {
    await prisma.$transaction(async (tx) => {
      if (!(await setAside(tx, [turn.id]))) return
      await setAside(tx, how.setAsideIds ?? [])
      const conversation = await conversationFor(tx, turn, how.conversation)
      const { chatId, threadId, userId, promptMessageId, sentAt, messageIds } = turn
      const facts = { chatId, threadId, userId, promptMessageId, sentAt }
      const next = await tx.turn.create({
        data: {
          ...facts,
          conversationId: conversation.id,
          attempt: await nextAttempt(tx, turn),
          replacesId: turn.id,
          model: how.chooseModel(conversation.model),
          messageIds: how.inPlace ? messageIds : [],
        },
        select: { id: true },
      })
      if (how.setAsideIds !== undefined) {
        const { conversationId: id } = turn
        await tx.conversation.update({ where: { id }, data: { warnedAt: null } })
      }
      await tx.$executeRaw`
        INSERT INTO bot.message (conversation_id, turn_id, role, content)
        SELECT ${conversation.id}, ${next.id}, role, content
        FROM bot.message WHERE turn_id = ${turn.id} AND role = 'user'`
    })
    return successorOf(turn)
  }

  /** Keeps the new text of an answered message on a held attempt, until its user wants it run. */
  async function offerEdit(turn: Turn, text: string): Promise<Turn> {
    const { chatId, threadId, userId, promptMessageId, conversationId, sentAt, model } = turn
    const facts = { chatId, threadId, userId, promptMessageId, conversationId, sentAt, model }
    const offered = await prisma.$transaction(async (tx) => {
      const attempt = await nextAttempt(tx, turn)
      const data = { ...facts, attempt, state: 'held', heldReason: 'edited' } as const
      const { id } = await tx.turn.create({ data, select: { id: true } })
      const message = { conversationId, turnId: id, role: 'user' as const, content: text }
      await tx.message.create({ data: message })
      return id
    })
    const offer = await byId(offered)
    if (offer === undefined) throw new Error('Cannot offer edit: its turn is gone')
    return offer
  }

  async function changePrompt(turnId: bigint, text: string): Promise<void> {
    const where = { turnId, role: 'user' } as const
    await prisma.message.updateMany({ where, data: { content: text } })
  }

  /** The answered turns from the one on that an edited message had begun. Empty if it is set aside. */
  async function branchIds(edited: Turn): Promise<bigint[]> {
    const { conversationId, chatId, promptMessageId } = edited
    const ended = { notIn: ['held', 'declined'] satisfies Turn['state'][] }
    const first = await prisma.turn.findFirst({
      where: { chatId, promptMessageId, conversationId, setAsideAt: null, state: ended },
      orderBy: { id: 'asc' },
      select: { id: true },
    })
    if (first === null) return []
    const turns = await prisma.turn.findMany({
      where: { conversationId, id: { gte: first.id }, setAsideAt: null, state: ended },
      select: { id: true },
    })
    return turns.map(({ id }) => id)
  }

  /** Ends a held turn whose user does not want it answered. */
  async function decline(turn: Turn): Promise<Turn> {
    const where = { id: turn.id, state: 'held' } as const
    await prisma.turn.updateMany({ where, data: { state: 'declined', endedAt: null } })
    return (await byId(turn.id)) ?? turn
  }
}

export type Attempts = ReturnType<typeof createAttempts>

/** @returns Whether one of them was not set aside before. */
async function setAside(tx: Prisma.TransactionClient, ids: readonly bigint[]): Promise<boolean> {
  const where = { id: { in: [...ids] }, setAsideAt: null }
  const { count } = await tx.turn.updateMany({ where, data: { setAsideAt: new Date() } })
  return count > 0
}

async function nextAttempt(
  tx: Prisma.TransactionClient,
  { chatId, promptMessageId }: Turn,
): Promise<number> {
  const where = { chatId, promptMessageId }
  const { _max } = await tx.turn.aggregate({ where, _max: { attempt: true } })
  return (_max.attempt ?? 0) + 1
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
