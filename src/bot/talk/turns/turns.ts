import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import { LeaseLostError } from '../../../platform/database/instance/instance.ts'
import type { Calendar } from '../../spend/calendar.ts'
import { ofTurn, releaseReservations } from '../../spend/charges/release-reservations.ts'
import type { TurnCost } from '../../spend/charges/turn-cost.ts'
import type { Reserve } from '../../spend/limits/reserve.ts'
import type { Prompt } from '../../telegram/addressing/to-prompt.ts'
import type { TelegramClock } from '../../telegram/telegram-clock.ts'
import { beginSummary as beginSummaryTurn, type NewSummary } from './begin-summary.ts'
import { type BegunTurn, beginTurn, type NewTurn } from './begin-turn.ts'
import { chargeTurn, endTurn } from './end-turn.ts'
import { leaseTurn, leaseWaiting as leaseWaitingTurn, type WaitingLease } from './lease-turn.ts'
import {
  type Granted,
  recordRequest as recordTurnRequest,
  reserveWaiting,
} from './record-request.ts'
import { recordSending as recordTurnSending, type SendingTurn } from './record-sending.ts'
import { createStoredTurns } from './stored-turns.ts'
import type { ShownReply, Turn, TurnEnd, TurnHold } from './turn.ts'

/** How often a turn is begun: of several that begin a thread's conversation at once the others find it at their second try. */
const BEGIN_TRIES = 3

export interface BeginOptions extends Pick<NewTurn, 'choice' | 'heldReason' | 'updateId' | 'slot'> {
  waits?: boolean
}

export interface TurnsDeps {
  prisma: PrismaClient
  leaseOwner: number
  calendar: Calendar
  reserve: Reserve
  telegramNow?: TelegramClock['now']
}

/**
 * The steps of a turn's life. Each is safe to repeat.
 *
 * A process leases the turn that it answers, until all of the reply is shown.
 */
export function createTurns(deps: TurnsDeps) {
  const { prisma, leaseOwner, calendar, reserve: reserveCost, telegramNow } = deps
  const stored = createStoredTurns(prisma)
  const { read, find } = stored
  const requestDeps = { prisma, calendar, reserve: reserveCost }
  return {
    read,
    find,
    findSuccessor: stored.findSuccessor,
    findAttempts: stored.findAttempts,
    findLast: stored.findLast,
    findBefore: stored.findBefore,
    findByOrigin: stored.findByOrigin,
    isLast: stored.isLast,
    countBefore: stored.countBefore,
    isOvertaken: stored.isOvertaken,
    begin,
    beginSummary,
    takeUp,
    leaseWaiting,
    giveBack,
    giveBackWaiting,
    hold,
    decline,
    changePrompt,
    warnOnce,
    reserve,
    release,
    recordRequest,
    recordRefusal,
    recordSending,
    recordShown,
    recordLeft,
    end,
    charge,
    close,
  }

  async function begin(
    prompt: Prompt,
    { choice, heldReason, updateId, slot, waits = false }: BeginOptions,
  ): Promise<BegunTurn> {
    const owner = waits ? null : leaseOwner
    const asked = {
      ...{ prompt, choice, heldReason, updateId, slot, calendar },
      leaseOwner: owner,
      telegramNow: telegramNow?.(),
    }
    for (let tries = 0; tries < BEGIN_TRIES; tries += 1) {
      const begun = await beginTurn(prisma, asked)
      if (begun !== undefined) return begun
      const turn = await find(prompt)
      if (turn !== undefined) return { turn }
      // Its conversation was just being begun, or erased.
    }
    throw new Error('Cannot begin turn: it is neither new nor there')
  }

  async function beginSummary(
    offer: NewSummary['offer'],
    { conversationId, model, originKey }: Omit<NewSummary, 'offer' | 'calendar'>,
  ): Promise<Turn | undefined> {
    await beginSummaryTurn(prisma, { offer, conversationId, model, originKey, calendar })
    return find(offer)
  }

  /**
   * Leases a turn that waited, or that this process did not begin.
   *
   * @param isLeft Whether its lease owner is known to have given it up.
   * @returns The turn as it is now; undefined if another process answers it.
   */
  async function takeUp(turn: Turn, { isLeft = false } = {}): Promise<Turn | undefined> {
    if (turn.leaseOwner === leaseOwner && turn.state !== 'waiting') return turn
    const isTaken = await leaseTurn(prisma, { turn, leaseOwner, isLeft })
    return isTaken ? reread(turn) : undefined
  }

  function leaseWaiting(turnId: bigint): Promise<WaitingLease> {
    return leaseWaitingTurn(prisma, { turnId, leaseOwner })
  }

  async function giveBackWaiting(id: bigint): Promise<void> {
    await change({ id, leaseOwner, state: 'waiting' }, { leaseOwner: null })
  }

  async function giveBack(id: bigint): Promise<void> {
    await change({ id, leaseOwner }, { leaseOwner: null })
  }

  /**
   * Leaves a turn that was not asked yet to its user's decision.
   *
   * @throws {LeaseLostError} If another process answers it by now.
   */
  async function hold(turn: Turn, why: TurnHold): Promise<Turn> {
    await change({ id: turn.id, state: 'streaming', leaseOwner }, { state: 'held', ...why })
    await release(turn.id)
    return rereadOwn(turn)
  }

  async function decline(turn: Turn): Promise<Turn> {
    await change({ id: turn.id, state: 'held' }, { state: 'declined', endedAt: null })
    return reread(turn)
  }

  async function changePrompt(turnId: bigint, text: string): Promise<void> {
    const where = { turnId, role: 'user' } as const
    await prisma.message.updateMany({ where, data: { content: text } })
  }

  async function warnOnce({ id, conversationId }: Turn, contextPercent: number): Promise<void> {
    await prisma.$transaction(async (tx) => {
      const where = { id: conversationId, warnedAt: null }
      const { count } = await tx.conversation.updateMany({ where, data: { warnedAt: new Date() } })
      if (count > 0) await tx.turn.updateMany({ where: { id }, data: { contextPercent } })
    })
  }

  /**
   * Reserves the cost of a turn while it waits for the service, or what limits leave of that from `leastMicroRub` on.
   *
   * @throws {LimitReachedError} If a limit leaves no room for it.
   */
  async function reserve(id: bigint, estimate: TurnCost, leastMicroRub?: bigint): Promise<void> {
    await reserveWaiting(requestDeps, { id, leaseOwner, estimate, leastMicroRub })
  }

  function release(id: bigint): Promise<void> {
    return releaseReservations(prisma, ofTurn(id))
  }

  /**
   * Records that the service is about to be asked, and reserves what it may charge for that.
   *
   * @returns What is reserved; undefined if its user has asked for its end.
   * @throws {LimitReachedError} If a limit leaves no room for it.
   * @throws {LeaseLostError} If another process answers the turn by now.
   */
  async function recordRequest(
    id: bigint,
    estimate: TurnCost,
    leastMicroRub?: bigint,
  ): Promise<Granted | undefined> {
    const asking = { id, leaseOwner, estimate, leastMicroRub }
    const granted = await recordTurnRequest(requestDeps, asking)
    if (granted !== undefined) return granted
    const turn = await read(id)
    const isStopped = turn?.leaseOwner === leaseOwner && turn.stopRequestedAt !== null
    if (!isStopped) throw new LeaseLostError(leaseOwner)
    return undefined
  }

  async function recordRefusal(id: bigint): Promise<void> {
    await change({ id, leaseOwner }, { requestMicroRub: null })
  }

  /**
   * Records that a message of a reply is about to be sent: if the process dies now, the chat may have it.
   *
   * @returns Whether it would be separated from its question.
   * @throws {LeaseLostError} If another process answers the turn by now.
   */
  async function recordSending(turn: SendingTurn): Promise<boolean> {
    const isSeparated = await recordTurnSending(prisma, turn, leaseOwner)
    if (isSeparated === undefined) throw new LeaseLostError(leaseOwner)
    return isSeparated
  }

  /** Once it has ended only its messages can change. */
  async function recordShown(id: bigint, shown: ShownReply): Promise<void> {
    const sent = sentOf(shown)
    const own = { id, leaseOwner }
    const growing = { ...sent, shownText: shown.shownText }
    const isGrowing = await change({ ...own, state: 'streaming' }, growing)
    if (!isGrowing) await change(own, sent)
  }

  /** Records that its chat takes no more of a reply, which may go on once the chat is used again. */
  async function recordLeft(id: bigint): Promise<void> {
    await change({ id, leaseOwner }, { sendingSince: new Date() })
  }

  /** @throws {LeaseLostError} If another process answers it by now. */
  async function end(turn: Turn, how: TurnEnd): Promise<Turn> {
    return (await endTurn({ prisma, calendar }, turn, how)) ?? rereadOwn(turn)
  }

  function charge(turn: Turn, cost: TurnCost): Promise<void> {
    return chargeTurn({ prisma, calendar }, turn, cost)
  }

  async function close(id: bigint, shown?: ShownReply): Promise<void> {
    const where = { id, leaseOwner, state: { not: 'streaming' } } as const
    const sent = shown === undefined ? {} : sentOf(shown)
    await change(where, { ...sent, endedAt: new Date(), leaseOwner: null })
  }

  async function change(
    where: Prisma.TurnWhereInput,
    data: Prisma.TurnUpdateManyMutationInput,
  ): Promise<boolean> {
    const { count } = await prisma.turn.updateMany({ where, data })
    return count > 0
  }

  async function rereadOwn(turn: Turn): Promise<Turn> {
    const read = await reread(turn)
    if (read.leaseOwner !== leaseOwner) throw new LeaseLostError(leaseOwner)
    return read
  }

  async function reread({ id }: Turn): Promise<Turn> {
    const turn = await read(id)
    if (turn === undefined) throw new Error('Cannot read turn: it is gone')
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

export type Turns = ReturnType<typeof createTurns>
