import type { Pool } from 'pg'
import type { Usage } from '../../client/read-answers.ts'
import type { PrismaClient } from '../../database/generated/client.ts'
import type { HeldReason, TurnState } from '../../database/generated/enums.ts'
import type { Prompt } from '../addressing/to-prompt.ts'
import {
  type CurrentConversation,
  createConversations,
  readCurrentConversation,
} from '../conversation/conversations.ts'
import { beginTurn } from './begin-turn.ts'
import { chargeTurn, endTurn } from './end-turn.ts'
import { readTurns } from './read-turns.ts'

export interface Turn {
  id: bigint
  conversationId: bigint
  userId: bigint
  chatId: number
  threadId: number
  promptMessageId: number
  /** 1 for the turn that the message itself began. */
  attempt: number
  sentAt: Date | null
  createdAt: Date
  /** Of who asked. */
  languageCode: string | undefined
  /** Whether who asked wants it to grow in a draft of Telegram's. */
  usesDrafts: boolean
  model: string
  state: TurnState
  heldReason: HeldReason | null
  stopRequestedAt: Date | null
  /** Not null: a message was about to be sent, and nothing tells whether it was. */
  sendingSince: Date | null
  setAsideAt: Date | null
  /** How full the model's context was, if this reply is the one to tell it. */
  contextPercent: number | null
  /** About what the next message will cost, if this reply is to tell it. */
  nextCostMicroRub: bigint | null
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
  state: Exclude<TurnState, 'streaming' | 'held' | 'declined'>
  errorCode?: string | undefined
  /** All of the text that came, be it only a part of an answer. */
  text: string
  cost?: Cost | undefined
  /** What the next message will cost, if the reply is to tell it. */
  nextCostMicroRub?: bigint | undefined
}

/** Makes the model of what was chosen for a conversation. */
export type ChooseModel = (chosen: string | null) => string

/** The statements that a turn's life is made of. Each is safe to repeat. */
export function createTurns({ prisma, pool }: { prisma: PrismaClient; pool: Pool }) {
  const conversations = createConversations(prisma)
  const charge = (turn: Turn, cost: Cost) => chargeTurn(pool, turn, cost)
  return { find, begin, hold, warnOnce, recordSending, recordShown, finish, charge, close }

  /** The turn that a message itself began, if it did. */
  async function find({
    chatId,
    messageId,
  }: Pick<Prompt, 'chatId' | 'messageId'>): Promise<Turn | undefined> {
    const [turn] = await readTurns(pool, { by: 'first', values: [chatId, messageId] })
    return turn
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
    // The place has no conversation yet, or not any more.
    const first = await beginIn(await conversations.current(prompt))
    const begun = first ?? (await find(prompt))
    if (begun === undefined) throw new Error('Cannot begin turn: it is neither new nor there')
    return begun

    function beginIn({ id: conversationId, model }: CurrentConversation) {
      return beginTurn(pool, { prompt, conversationId, model: chooseModel(model), heldReason })
    }
  }

  /** Leaves a turn that was not asked yet to its user's decision. */
  async function hold(turn: Turn, heldReason: HeldReason): Promise<Turn> {
    await pool.query({
      name: 'turn_hold',
      text: `UPDATE bot.turn SET state = 'held', held_reason = $2
        WHERE id = $1 AND state = 'streaming'`,
      values: [turn.id, heldReason],
    })
    return reread(turn)
  }

  /** Has the turn's reply tell that the context is nearly full, unless another one has told it. */
  async function warnOnce({ id, conversationId }: Turn, contextPercent: number): Promise<void> {
    await prisma.$executeRaw`
      WITH warned AS (
        UPDATE bot.conversation SET warned_at = now()
        WHERE id = ${conversationId} AND warned_at IS NULL RETURNING id
      )
      UPDATE bot.turn SET context_percent = ${contextPercent}::int
      FROM warned WHERE turn.id = ${id} AND turn.conversation_id = warned.id`
  }

  /** Notes that a message of a reply is about to be sent: if the process dies now, it may stand there. */
  async function recordSending(turnId: bigint): Promise<void> {
    await pool.query({
      name: 'turn_sending',
      text: 'UPDATE bot.turn SET sending_since = now() WHERE id = $1',
      values: [turnId],
    })
  }

  /** Notes what the user sees of a reply. Once it has ended only its messages can change. */
  async function recordShown(
    turnId: bigint,
    { messageIds, shownText }: { messageIds: readonly number[]; shownText: string },
  ): Promise<void> {
    await pool.query({
      name: 'turn_shown',
      text: `UPDATE bot.turn SET message_ids = $2, sending_since = NULL,
          shown_text = CASE state WHEN 'streaming' THEN $3 ELSE shown_text END
        WHERE id = $1`,
      values: [turnId, messageIds, shownText],
    })
  }

  /**
   * Ends a turn: its state, the assistant's message and the charge in one transaction, and only once.
   *
   * @returns The turn as it ended, whoever ended it.
   */
  async function finish(turn: Turn, end: TurnEnd): Promise<Turn> {
    await endTurn(pool, turn, end)
    return reread(turn)
  }

  async function reread({ id }: Turn): Promise<Turn> {
    const [turn] = await readTurns(pool, { by: 'id', values: [id] })
    if (turn === undefined) throw new Error('Cannot read turn: it is gone')
    return turn
  }

  /** Notes that all of the reply has been shown. */
  async function close(turnId: bigint): Promise<void> {
    await pool.query({
      name: 'turn_close',
      text: 'UPDATE bot.turn SET ended_at = $2 WHERE id = $1',
      values: [turnId, new Date()],
    })
  }
}

export type Turns = ReturnType<typeof createTurns>
