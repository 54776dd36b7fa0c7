import type { Prisma, PrismaClient } from '../../../platform/database/generated/client.ts'
import type { Notifications } from '../../../platform/database/instance/notifications.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import { isHeldUp } from '../../telegram/inbox/held-up.ts'
import { requestStop, STOP_CHANNEL } from '../turns/request-stop.ts'
import type { Turn } from '../turns/turn.ts'

/** A turn whose answer is being written. */
export interface StoppableTurn {
  stopped: Promise<void>
  end(): void
}

/** The user who presses a button or types a command. */
export interface Actor {
  userId: number
  isAdmin: boolean
}

/** The turn that is to stop: the one that runs in a thread, or a certain one of a chat. */
export type StopTarget = ChatThread | { chatId: number; turnId: bigint }

/** `not_yours`: another user asked, and the one who wants it stopped is no admin. */
export type StopOutcome = 'stopped' | 'nothing' | 'not_yours'

type Stoppable = Pick<Turn, 'id' | 'chatId' | 'threadId' | 'userId'>

type Unended = Stoppable & Pick<Turn, 'state'>

/**
 * Stops turns. One of this process is stopped at once; one that another process runs, or will take up, is marked in
 * the database, and its process is notified. One that waits ends at once.
 */
export function createStoppableTurns({
  prisma,
  notifications,
  onWaiting,
  onLeft,
}: {
  prisma: PrismaClient
  notifications: Pick<Notifications, 'listen'>
  onWaiting: (turnId: bigint) => Promise<void>
  onLeft: (turnId: bigint) => Promise<void>
}) {
  const running = new Map<bigint, { turn: Stoppable; stop: () => void }>()
  notifications.listen(STOP_CHANNEL, {
    onNotification: (turnId) => running.get(BigInt(turnId))?.stop(),
    onGap: () => void catchUp(),
  })
  return { begin, stop, takeBack, findRunning }

  function begin(turn: Stoppable): StoppableTurn {
    const { promise: stopped, resolve } = Promise.withResolvers<void>()
    running.set(turn.id, { turn, stop: resolve })
    return { stopped, end: () => void running.delete(turn.id) }
  }

  async function stop(target: StopTarget, actor: Actor): Promise<StopOutcome> {
    const here = [...running.values()].find(({ turn }) => isTarget(turn, target))
    if (here !== undefined) {
      if (!mayDecide(here.turn, actor)) return 'not_yours'
      running.delete(here.turn.id)
      here.stop()
      return 'stopped'
    }
    const turn = 'turnId' in target ? await findUnended(target) : await findRunning(target)
    if (turn === undefined) return 'nothing'
    if (!mayDecide(turn, actor)) return 'not_yours'
    if (await requestStop(prisma, turn.id)) {
      if (turn.state === 'waiting') await onWaiting(turn.id)
      // The update that began it counts as handled, because something unexpected went wrong.
      else if (!(await isHeldUp(prisma, turn))) await onLeft(turn.id)
    }
    return 'stopped'
  }

  /** Ends a turn that waits. `begun`: its time has come, and only a stop ends it. */
  async function takeBack(
    target: { chatId: number; turnId: bigint },
    actor: Actor,
  ): Promise<StopOutcome | 'begun'> {
    const turn = await findUnended(target)
    const isBegun = turn?.state === 'streaming' && mayDecide(turn, actor)
    return isBegun ? 'begun' : stop(target, actor)
  }

  function findRunning({ chatId, threadId }: ChatThread): Promise<Unended | undefined> {
    // An index has those that have not ended, and goes by what the statement says of them.
    return findLast({ chatId, threadId, state: 'streaming', endedAt: null })
  }

  function findUnended({
    chatId,
    turnId: id,
  }: {
    chatId: number
    turnId: bigint
  }): Promise<Unended | undefined> {
    return findLast({ chatId, id, state: { in: ['streaming', 'waiting'] } })
  }

  async function findLast(where: Prisma.TurnWhereInput): Promise<Unended | undefined> {
    const row = await prisma.turn.findFirst({
      where,
      orderBy: { id: 'desc' },
      select: { id: true, chatId: true, threadId: true, userId: true, state: true },
    })
    return row === null ? undefined : { ...row, chatId: Number(row.chatId) }
  }

  async function catchUp(): Promise<void> {
    if (running.size === 0) return
    const where = { id: { in: [...running.keys()] }, stopRequestedAt: { not: null } }
    // The next connection looks again.
    const missed = await prisma.turn.findMany({ where, select: { id: true } }).catch(() => [])
    for (const { id } of missed) running.get(id)?.stop()
  }
}

export type StoppableTurns = ReturnType<typeof createStoppableTurns>

/** Checks whether a user may decide about a turn: the user who asked may, and admins. */
export function mayDecide({ userId }: Pick<Turn, 'userId'>, actor: Actor): boolean {
  return actor.isAdmin || BigInt(actor.userId) === userId
}

function isTarget({ id, chatId, threadId }: Stoppable, target: StopTarget): boolean {
  if (chatId !== target.chatId) return false
  return 'turnId' in target ? id === target.turnId : threadId === target.threadId
}
