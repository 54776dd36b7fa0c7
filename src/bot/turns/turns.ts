import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { HeldReason } from '../../database/generated/enums.ts'
import type { Prompt } from '../addressing/to-prompt.ts'
import {
  type CurrentConversation,
  createConversations,
  readCurrentConversation,
} from '../conversation/conversations.ts'
import type { TurnCost } from '../spend/turn-cost.ts'
import { beginTurn } from './begin-turn.ts'
import { chargeTurn, endTurn } from './end-turn.ts'
import {
  type ChooseModel,
  type ShownReply,
  TURN_RELATIONS,
  type Turn,
  type TurnEnd,
  toTurn,
} from './turn.ts'

/** The steps of a turn's life. Each is safe to repeat. */
export function createTurns(prisma: PrismaClient) {
  const conversations = createConversations(prisma)
  const charge = (turn: Turn, cost: TurnCost) => chargeTurn(prisma, turn, cost)
  return {
    ...{ read, find, findSuccessor, findAttempts, begin, hold, decline, changePrompt },
    ...{ warnOnce, recordSending, recordShown, end, charge, close },
  }

  async function read(id: bigint): Promise<Turn | undefined> {
    return findFirst({ id })
  }

  /** The turn that a message itself began, if it did. */
  async function find({
    chatId,
    messageId: promptMessageId,
  }: Pick<Prompt, 'chatId' | 'messageId'>): Promise<Turn | undefined> {
    const where = { chatId, promptMessageId, attempt: 1 }
    // Nearly every message is new, and what hangs on a turn is read by queries of its own.
    const found = await prisma.turn.findFirst({ where, select: { id: true } })
    return found === null ? undefined : read(found.id)
  }

  /** The turn that took the place of another one. */
  async function findSuccessor({ id }: Pick<Turn, 'id'>): Promise<Turn | undefined> {
    return findFirst({ replacesId: id })
  }

  /** All turns of a message, oldest first, with the text that each one asks. */
  async function findAttempts(
    chatId: number,
    promptMessageId: number,
  ): Promise<{ turn: Turn; text: string }[]> {
    const turns = await prisma.turn.findMany({
      where: { chatId, promptMessageId },
      include: { ...TURN_RELATIONS, messages: { select: { role: true, content: true } } },
      orderBy: { attempt: 'asc' },
    })
    return turns.map(({ messages, ...row }) => ({
      turn: toTurn({ ...row, messages: messages.filter(({ role }) => role === 'assistant') }),
      text: messages.find(({ role }) => role === 'user')?.content ?? '',
    }))
  }

  async function findFirst(where: Prisma.TurnWhereInput): Promise<Turn | undefined> {
    const row = await prisma.turn.findFirst({ where, include: TURN_RELATIONS })
    return row === null ? undefined : toTurn(row)
  }

  /**
   * Begins the turn of a message in its current conversation, the user's message included.
   *
   * @param chooseModel Makes the model of what was chosen for the conversation.
   * @param heldReason Why its user is to be asked first.
   */
  async function begin(
    prompt: Prompt,
    { chooseModel, heldReason }: { chooseModel: ChooseModel; heldReason?: HeldReason | undefined },
  ): Promise<Turn> {
    const current = await readCurrentConversation(prisma, prompt)
    const turn = (current && (await beginIn(current))) ?? (await find(prompt))
    if (turn !== undefined) return turn
    // The thread has no conversation yet, or not any more.
    const first = await beginIn(await conversations.current(prompt))
    const begun = first ?? (await find(prompt))
    if (begun === undefined) throw new Error('Cannot begin turn: it is neither new nor there')
    return begun

    function beginIn({ id: conversationId, model }: CurrentConversation) {
      return beginTurn(prisma, { prompt, conversationId, model: chooseModel(model), heldReason })
    }
  }

  /** Leaves a turn that was not asked yet to its user's decision. */
  async function hold(turn: Turn, heldReason: HeldReason): Promise<Turn> {
    await change({ id: turn.id, state: 'streaming' }, { state: 'held', heldReason })
    return reread(turn)
  }

  /** Ends a held turn whose user does not want it answered. */
  async function decline(turn: Turn): Promise<Turn> {
    await change({ id: turn.id, state: 'held' }, { state: 'declined', endedAt: null })
    return reread(turn)
  }

  async function changePrompt(turnId: bigint, text: string): Promise<void> {
    const where = { turnId, role: 'user' } as const
    await prisma.message.updateMany({ where, data: { content: text } })
  }

  /** Has the turn's reply tell that the context is nearly full, unless another one has told it. */
  async function warnOnce({ id, conversationId }: Turn, contextPercent: number): Promise<void> {
    await prisma.$transaction(async (tx) => {
      const where = { id: conversationId, warnedAt: null }
      const { count } = await tx.conversation.updateMany({ where, data: { warnedAt: new Date() } })
      if (count > 0) await tx.turn.updateMany({ where: { id }, data: { contextPercent } })
    })
  }

  /** Notes that a message of a reply is about to be sent: if the process dies now, it may stand there. */
  async function recordSending(turnId: bigint): Promise<void> {
    await change({ id: turnId }, { sendingSince: new Date() })
  }

  /** Notes what the user sees of a reply. Once it has ended only its messages can change. */
  async function recordShown(
    id: bigint,
    { messageIds, mayHaveSent, shownText }: ShownReply,
  ): Promise<void> {
    const sent = { messageIds, ...(!mayHaveSent && { sendingSince: null }) }
    const isGrowing = await change({ id, state: 'streaming' }, { ...sent, shownText })
    if (!isGrowing) await change({ id }, sent)
  }

  /**
   * Ends a turn: its state, the assistant's message and the charge, all of them only once.
   *
   * @returns The turn as it ended, by whichever process.
   */
  async function end(turn: Turn, how: TurnEnd): Promise<Turn> {
    return (await endTurn(prisma, turn, how)) ?? reread(turn)
  }

  /** Notes that all of the reply has been shown. */
  async function close(id: bigint): Promise<void> {
    await change({ id, state: { not: 'streaming' } }, { endedAt: new Date() })
  }

  /** @returns Whether there was such a turn. */
  async function change(
    where: Prisma.TurnWhereInput,
    data: Prisma.TurnUpdateManyMutationInput,
  ): Promise<boolean> {
    const { count } = await prisma.turn.updateMany({ where, data })
    return count > 0
  }

  async function reread({ id }: Turn): Promise<Turn> {
    const turn = await read(id)
    if (turn === undefined) throw new Error('Cannot read turn: it is gone')
    return turn
  }
}

export type Turns = ReturnType<typeof createTurns>
