/**
 * The rows of turns. Each step of a turn's life is one method, and safe to repeat.
 *
 * Invariant: a process leases the turn that it answers, until all of the reply is shown and its cost is known; each write
 * names the lease owner, so that a former owner changes nothing.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Prisma } from '../../platform/database/generated/client.ts'
import { aliveSql, isFreeSql, LeaseLostError } from '../../platform/database/instance/instance.ts'
import type { TurnCost } from '../spend/costs.ts'
import type { Granted } from '../spend/limits.ts'
import type { ChatThread } from '../telegram/addressing.ts'
import type { Prompt } from '../telegram/prompt.ts'
import {
  type BegunTurn,
  beginSummary,
  beginTurn,
  type NewSummary,
  type NewTurn,
  prepareThread,
} from './begin-turn.ts'
import { readCurrentConversation } from './conversations.ts'
import { chargeEnded, endTurn } from './end-turn.ts'
import { recordRequest, recordSending } from './record-request.ts'
import {
  OPEN_STATES,
  type ShownReply,
  TURN_RELATIONS,
  type Turn,
  type TurnEnd,
  type TurnHold,
  type TurnsApp,
  toTurn,
} from './turn.ts'

const NEWEST = { orderBy: { id: 'desc' } } as const
const OPEN = { state: { in: [...OPEN_STATES] } } satisfies Prisma.TurnWhereInput
/** A conversation may be erased just as a turn begins. */
const BEGIN_TRIES = 3
/** A process that dies loses the text of this time at most. */
const BEHIND_MS_MAX = 500

const LEASE = `
  UPDATE bot.turn SET lease_owner = $2
  WHERE id = $1 AND ${aliveSql('$2')} AND (lease_owner = $2 OR ${isFreeSql('lease_owner')})`

const TAKE_UP = `${LEASE}
    AND ($3 OR NOT EXISTS (
      SELECT FROM bot.turn AS earlier
      WHERE earlier.chat_id = turn.chat_id AND earlier.thread_id = turn.thread_id
        AND earlier.id < turn.id AND earlier.ended_at IS NULL))`

const LEASE_WAITING = `${LEASE}
    AND state = 'waiting' AND sending_since IS NULL AND stop_requested_at IS NULL`

const UNENDED = `
  SELECT id, user_id AS "userId", chat_id::float8 AS "chatId", thread_id AS "threadId",
    ended_at IS NOT NULL AS "isShown"
  FROM bot.turn
  WHERE lease_owner IS DISTINCT FROM $1 AND (ended_at IS NULL
    OR ended_at IS NOT NULL AND lease_owner IS NOT NULL AND ${isFreeSql('lease_owner')})
  ORDER BY id`

// A row that another statement has locked is left to the next write: a lock of several rows could end in a deadlock.
const STORE_TEXTS = `
  WITH own AS (
    SELECT turn.id, shown.text
    FROM bot.turn JOIN unnest($1::bigint[], $2::text[]) AS shown (id, text) USING (id)
    WHERE lease_owner = $3 AND state = ANY ('{${OPEN_STATES.join()}}'::bot.turn_state[])
      AND octet_length(shown_text) < octet_length(shown.text)
    ORDER BY turn.id FOR NO KEY UPDATE OF turn SKIP LOCKED
  )
  UPDATE bot.turn SET shown_text = own.text FROM own WHERE turn.id = own.id`

/** `isShown`: only its cost is missing. */
export interface UnendedTurn extends ChatThread {
  id: bigint
  userId: bigint
  isShown: boolean
}

export class Turns {
  readonly #texts = new Map<bigint, string>()
  #textsStored: Promise<void> | undefined
  readonly #app: TurnsApp

  constructor(app: TurnsApp) {
    this.#app = app
  }

  async begin(
    prompt: Prompt,
    how: Pick<NewTurn, 'choice' | 'heldReason' | 'originKey'>,
  ): Promise<BegunTurn> {
    for (let tries = 0; tries < BEGIN_TRIES; tries += 1) {
      const begun = await beginTurn(this.#app, { prompt, ...how })
      if (begun !== undefined) return begun
      const { originKey } = how
      const turn = await (originKey === undefined ? this.findOf(prompt) : this.find({ originKey }))
      if (turn !== undefined) return { turn, isFirst: false, isBehind: true }
      await prepareThread(this.#app.prisma, prompt)
    }
    throw new Error('Cannot begin turn: it is neither new nor there')
  }

  /** An offer has one turn. */
  async beginSummary(summary: NewSummary): Promise<Turn | undefined> {
    await beginSummary(this.#app.prisma, summary)
    return this.findOf(summary.offer)
  }

  read(id: bigint): Promise<Turn | undefined> {
    return this.find({ id })
  }

  findOf({ chatId, messageId }: Pick<Prompt, 'chatId' | 'messageId'>): Promise<Turn | undefined> {
    return this.find({ chatId, promptMessageId: messageId, attempt: 1 })
  }

  /** Finds the newest turn. */
  async find(where: Prisma.TurnWhereInput): Promise<Turn | undefined> {
    const row = await this.#app.prisma.turn.findFirst({ where, ...NEWEST, include: TURN_RELATIONS })
    return row === null ? undefined : toTurn(row)
  }

  async findLast(thread: ChatThread): Promise<Turn | undefined> {
    const current = await readCurrentConversation(this.#app.prisma, thread)
    return current === null ? undefined : this.find({ conversationId: current.id })
  }

  async isLast({ id, chatId, threadId }: Turn): Promise<boolean> {
    const where = { chatId, threadId, id: { gt: id } }
    return (await this.#app.prisma.turn.findFirst({ where, select: { id: true } })) === null
  }

  /** Counts the open turns before one in its thread, and checks whether all their replies have a message. */
  async findOpenBefore({ id, chatId, threadId }: ChatThread & { id: bigint }) {
    const open = await this.#app.prisma.turn.findMany({
      where: { chatId, threadId, id: { lt: id }, endedAt: null, ...OPEN },
      select: { messageIds: true, sendingSince: true },
    })
    const areShown = open.every((one) => one.messageIds.length > 0 && one.sendingSince === null)
    return { count: open.length, areShown }
  }

  findUnended(): Promise<UnendedTurn[]> {
    return this.#app.prisma.$queryRawUnsafe<UnendedTurn[]>(UNENDED, this.#app.leaseOwner)
  }

  /** Leases a turn. Returns `busy` if it has to wait for another process or turn; undefined if it is over. */
  async takeUp(id: bigint, { passesOthers = false } = {}): Promise<Turn | 'busy' | undefined> {
    const { prisma, leaseOwner } = this.#app
    const isTaken = await prisma.$executeRawUnsafe(TAKE_UP, id, leaseOwner, passesOthers)
    if (isTaken === 1) return this.read(id)
    const isLeft = { OR: [{ endedAt: null }, { leaseOwner: { not: null } }] }
    return (await prisma.turn.count({ where: { id, ...isLeft } })) === 1 ? 'busy' : undefined
  }

  /** Returns undefined if the turn does not wait, or its chat may show that already. */
  async leaseWaiting(id: bigint): Promise<Turn | undefined> {
    const { prisma, leaseOwner } = this.#app
    const isLeased = await prisma.$executeRawUnsafe(LEASE_WAITING, id, leaseOwner)
    return isLeased === 1 ? this.read(id) : undefined
  }

  async giveBack(id: bigint): Promise<void> {
    await this.#change({ id }, { leaseOwner: null })
  }

  /** Leaves a turn to its user's decision. @throws {LeaseLostError} If another process answers it by now. */
  async hold(turn: Turn, why: TurnHold): Promise<Turn> {
    await this.#change({ id: turn.id, ...OPEN }, { state: 'held', heldMicroRub: null, ...why })
    return this.#rereadOwn(turn)
  }

  async decline({ id }: Turn): Promise<Turn | undefined> {
    const data = { state: 'declined', endedAt: null, leaseOwner: this.#app.leaseOwner } as const
    await this.#app.prisma.turn.updateMany({ where: { id, state: 'held' }, data })
    return this.read(id)
  }

  async changePrompt(turnId: bigint, text: string): Promise<void> {
    const where = { turnId, role: 'user' } as const
    await this.#app.prisma.message.updateMany({ where, data: { content: text } })
  }

  async findOpen(target: ChatThread | { chatId: number; turnId: bigint }) {
    const { chatId } = target
    const which =
      'turnId' in target
        ? { id: target.turnId, ...OPEN }
        : // An index has the turns that have not ended, and PostgreSQL takes it by this condition.
          { threadId: target.threadId, state: 'streaming' as const, endedAt: null }
    const row = await this.#app.prisma.turn.findFirst({
      where: { chatId, ...which },
      ...NEWEST,
      select: { id: true, chatId: true, threadId: true, userId: true, state: true },
    })
    return row === null ? undefined : { ...row, chatId: Number(row.chatId) }
  }

  /** Returns whether the turn had not ended. */
  async requestStop(id: bigint): Promise<boolean> {
    const data = { stopRequestedAt: new Date() }
    return (await this.#app.prisma.turn.updateMany({ where: { id, ...OPEN }, data })).count > 0
  }

  async findStopRequests(ids: bigint[]): Promise<bigint[]> {
    const where = { id: { in: ids }, stopRequestedAt: { not: null } }
    const found = await this.#app.prisma.turn.findMany({ where, select: { id: true } })
    return found.map(({ id }) => id)
  }

  async release(id: bigint): Promise<void> {
    await this.#app.prisma.turn.updateMany({ where: { id }, data: { heldMicroRub: null } })
  }

  /**
   * Returns the held amount; undefined if a user has requested the turn's end.
   *
   * @throws {LimitReachedError} If a limit leaves no room for it.
   * @throws {LeaseLostError} If another process answers the turn by now.
   */
  async recordRequest(
    id: bigint,
    estimate: TurnCost,
    leastMicroRub?: bigint,
  ): Promise<Granted | undefined> {
    const { leaseOwner } = this.#app
    const granted = await recordRequest(this.#app, { id, estimate, leastMicroRub })
    if (granted !== undefined) return granted
    const turn = await this.read(id)
    const isStopped = turn?.leaseOwner === leaseOwner && turn.stopRequestedAt !== null
    if (!isStopped) throw new LeaseLostError(leaseOwner)
    return undefined
  }

  /** The turn waits again, and nothing is charged. */
  async recordRefusal(id: bigint): Promise<void> {
    await this.#change({ id, state: 'streaming' }, { state: 'waiting', requestMicroRub: null })
  }

  /**
   * Records a message before it is sent. Returns whether it would be separated from its question.
   *
   * @throws {LeaseLostError} If another process answers the turn by now.
   */
  async recordSending(turn: Turn): Promise<boolean> {
    const { prisma, leaseOwner } = this.#app
    const isSeparated = await recordSending(prisma, turn, leaseOwner)
    if (isSeparated === undefined) throw new LeaseLostError(leaseOwner)
    return isSeparated
  }

  /** Records the text only until the reply has ended. */
  async recordShown(id: bigint, shown: ShownReply): Promise<void> {
    const sent = sentOf(shown)
    const growing = { ...sent, shownText: shown.shownText }
    const isGrowing = await this.#change({ id, ...OPEN }, growing)
    if (!isGrowing) await this.#change({ id }, sent)
  }

  /** One statement stores the texts of half a second. */
  recordText(id: bigint, shownText: string): Promise<void> {
    this.#texts.set(id, shownText)
    this.#textsStored ??= this.#storeTexts()
    return this.#textsStored
  }

  async #storeTexts(): Promise<void> {
    await delay(BEHIND_MS_MAX)
    const ids = Array.from(this.#texts.keys(), String)
    const texts = [...this.#texts.values()]
    this.#texts.clear()
    this.#textsStored = undefined
    const { prisma, leaseOwner } = this.#app
    await prisma.$executeRawUnsafe(STORE_TEXTS, ids, texts, leaseOwner)
  }

  /** The reply continues once the chat is used again. */
  async recordLeft(id: bigint): Promise<void> {
    await this.#change({ id }, { sendingSince: new Date() })
  }

  /** @throws {LeaseLostError} If another process answers it by now. */
  async end(turn: Turn, how: TurnEnd): Promise<Turn> {
    return (await endTurn(this.#app, turn, how)) ?? this.#rereadOwn(turn)
  }

  charge(turn: Turn, cost: TurnCost): Promise<void> {
    return chargeEnded(this.#app, turn.id, cost)
  }

  /** The lease and the held amount stay until the cost is known. */
  async close(id: bigint, shown?: ShownReply, { isCharged = true } = {}): Promise<void> {
    const where = { id, state: { notIn: [...OPEN_STATES] } }
    const sent = shown === undefined ? {} : sentOf(shown)
    const lease = isCharged ? { leaseOwner: null, heldMicroRub: null } : {}
    await this.#change(where, { ...sent, endedAt: new Date(), ...lease })
  }

  async abandon(id: bigint): Promise<void> {
    const end = { state: 'failed', errorCode: 'internal', heldMicroRub: null } as const
    await this.#change({ id, ...OPEN }, end)
    await this.close(id)
  }

  async #change(
    where: Prisma.TurnWhereInput,
    data: Prisma.TurnUpdateManyMutationInput,
  ): Promise<boolean> {
    const { prisma, leaseOwner } = this.#app
    return (await prisma.turn.updateMany({ where: { ...where, leaseOwner }, data })).count > 0
  }

  async #rereadOwn({ id }: Turn): Promise<Turn> {
    const turn = await this.read(id)
    if (turn?.leaseOwner !== this.#app.leaseOwner) throw new LeaseLostError(this.#app.leaseOwner)
    return turn
  }
}

function sentOf({ messageIds, maybeDoubleIds, mayHaveSent }: ShownReply) {
  return {
    // Without `set` Prisma would make a plan for each list, and keep it.
    messageIds: { set: messageIds },
    maybeDoubleIds: { set: maybeDoubleIds },
    ...(!mayHaveSent && { sendingSince: null }),
  }
}
