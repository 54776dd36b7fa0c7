import type { Usage } from '../../client/read-answers.ts'
import type { Prisma, PrismaClient } from '../../database/generated/client.ts'
import type { TurnState } from '../../database/generated/enums.ts'
import { noteUser } from '../access/users.ts'
import type { Sender } from '../addressing/sender.ts'
import { currentConversation, type Place } from '../conversation/conversations.ts'
import { recordTurnCharge } from '../spend/charges.ts'

/** A user's message that wants an answer. */
export interface Prompt extends Place {
  messageId: number
  text: string
  user: Sender
}

export interface Turn {
  id: bigint
  conversationId: bigint
  userId: bigint
  chatId: number
  threadId: number
  model: string
  state: TurnState
  errorCode: string | null
  /** The messages that show the reply, in order. */
  messageIds: number[]
  /** What of the reply is known to have been seen. */
  shownText: string
  /** When all of the reply was shown; null while some of it may be missing. */
  endedAt: Date | null
  /** The reply as the model will read it; missing where there is none. */
  answer?: string
  charge?: { amountMicroRub: bigint; estimated: boolean }
}

/** What a turn costs its user. */
export interface Cost {
  amountMicroRub: bigint
  estimated: boolean
  usage?: Usage | undefined
}

/** How a turn ended. */
export interface TurnEnd {
  state: Exclude<TurnState, 'streaming'>
  errorCode?: string | undefined
  /** All of the text that came, be it only a part of an answer. */
  text: string
  cost?: Cost | undefined
}

const FIELDS = {
  messages: { where: { role: 'assistant' }, select: { content: true } },
  charge: { where: { kind: 'turn' }, select: { amountMicroRub: true, estimated: true } },
} as const satisfies Prisma.TurnInclude

/** The statements that a turn's life is made of. Each is safe to repeat. */
export function createTurns(prisma: PrismaClient) {
  return { find, begin, recordShown, finish, charge, close }

  /** The turn that a message began, if it did. */
  async function find({
    chatId,
    messageId,
  }: Pick<Prompt, 'chatId' | 'messageId'>): Promise<Turn | undefined> {
    const where = { chatId_promptMessageId: { chatId, promptMessageId: messageId } }
    const row = await prisma.turn.findUnique({ where, include: FIELDS })
    return row === null ? undefined : toTurn(row)
  }

  /**
   * Begins the turn of a message in its current conversation, the user's message included.
   *
   * @param chooseModel Makes the model of what was chosen for the conversation.
   */
  async function begin(
    prompt: Prompt,
    chooseModel: (chosen: string | null) => string,
  ): Promise<Turn> {
    const { chatId, threadId, messageId: promptMessageId, text, user } = prompt
    const userId = BigInt(user.id)
    const begun = await prisma.$transaction(async (tx) => {
      const conversation = await currentConversation(tx, prompt)
      await noteUser(tx, prompt.user)
      const [turn] = await tx.turn.createManyAndReturn({
        data: [
          {
            conversationId: conversation.id,
            userId,
            chatId,
            threadId,
            promptMessageId,
            model: chooseModel(conversation.model),
          },
        ],
        skipDuplicates: true,
      })
      if (turn === undefined) return undefined
      await tx.message.create({
        data: { conversationId: conversation.id, turnId: turn.id, role: 'user', content: text },
      })
      return toTurn({ ...turn, messages: [], charge: [] })
    })
    const turn = begun ?? (await find(prompt))
    if (turn === undefined) throw new Error('Cannot begin turn: it is neither new nor there')
    return turn
  }

  /** Notes what the user sees of a reply. Once it has ended only its messages can change. */
  async function recordShown(
    turnId: bigint,
    { messageIds, shownText }: { messageIds: readonly number[]; shownText: string },
  ): Promise<void> {
    await prisma.$executeRaw`
      UPDATE bot.turn SET message_ids = ${messageIds},
        shown_text = CASE state WHEN 'streaming' THEN ${shownText} ELSE shown_text END
      WHERE id = ${turnId}`
  }

  /**
   * Ends a turn: its state, the assistant's message and the charge in one transaction, and only once.
   *
   * @returns The turn as it ended, whoever ended it.
   */
  async function finish(turn: Turn, { state, errorCode, text, cost }: TurnEnd): Promise<Turn> {
    await prisma.$transaction(async (tx) => {
      // What is left of a failed reply is on the turn alone: the model will not read it.
      const isAnswer = state !== 'failed' && text !== ''
      const { count } = await tx.turn.updateMany({
        where: { id: turn.id, state: 'streaming' },
        data: { state, errorCode: errorCode ?? null, ...(!isAnswer && { shownText: text }) },
      })
      if (count === 0) return
      if (isAnswer) await tx.message.create({ data: { ...toAnswer(turn, cost), content: text } })
      if (cost !== undefined) await recordTurnCharge(tx, toCharge(turn, cost))
    })
    const row = await prisma.turn.findUniqueOrThrow({ where: { id: turn.id }, include: FIELDS })
    return toTurn(row)
  }

  /** Charges a turn that ended before its cost was known. */
  async function charge(turn: Turn, cost: Cost): Promise<void> {
    await prisma.$transaction(async (tx) => {
      const isFirst = await recordTurnCharge(tx, toCharge(turn, cost))
      if (!isFirst) return
      const where = { turnId: turn.id, role: 'assistant' } as const
      await tx.message.updateMany({ where, data: toAnswer(turn, cost) })
    })
  }

  /** Notes that all of the reply has been shown. */
  async function close(turnId: bigint): Promise<void> {
    await prisma.turn.update({ where: { id: turnId }, data: { endedAt: new Date() } })
  }
}

function toAnswer(turn: Turn, cost: Cost | undefined) {
  return {
    conversationId: turn.conversationId,
    turnId: turn.id,
    role: 'assistant' as const,
    model: turn.model,
    promptTokens: cost?.usage?.promptTokens ?? null,
    completionTokens: cost?.usage?.completionTokens ?? null,
    costMicroRub: cost?.amountMicroRub ?? null,
  }
}

function toCharge({ id: turnId, userId, model: item }: Turn, cost: Cost) {
  const { amountMicroRub, estimated, usage } = cost
  return {
    turnId,
    userId,
    item,
    amountMicroRub,
    estimated,
    promptTokens: usage?.promptTokens,
    completionTokens: usage?.completionTokens,
  }
}

function toTurn(row: Prisma.TurnGetPayload<{ include: typeof FIELDS }>): Turn {
  const { messages, charge, chatId, ...facts } = row
  return {
    ...facts,
    chatId: Number(chatId),
    ...(messages[0] && { answer: messages[0].content }),
    ...(charge[0] && { charge: charge[0] }),
  }
}
