import type { PrismaClient } from '../../database/generated/client.ts'
import type { Notifications } from '../../database/notifications.ts'
import type { ChatThread } from '../addressing/chat-thread.ts'
import { isHeldUp } from '../telegram/inbox/held-up.ts'
import { requestStop, STOP_CHANNEL } from '../turns/request-stop.ts'
import type { Turn } from '../turns/turn.ts'

/** A turn whose answer is being written. */
export interface StoppableTurn {
  /** Resolves when a user stopped it. */
  stopped: Promise<void>
  /** Takes it out: it cannot be stopped any more. */
  end(): void
}

/** Who presses a button or types a command. */
export interface Actor {
  userId: number
  isAdmin: boolean
}

/** Which turn is to stop: the one of a thread, or a certain one of a chat. */
export type StopTarget = ChatThread | { chatId: number; turnId: bigint }

/** `not_yours`: somebody else asked, and who wants it stopped is no admin. */
export type StopOutcome = 'stopped' | 'nothing' | 'not_yours'

type Stoppable = Pick<Turn, 'id' | 'chatId' | 'threadId' | 'userId'>

/**
 * The turns that can be stopped. One of this process is stopped at once; one that another process
 * runs, or will take up, is marked in the database, and its process is told.
 */
export function createStoppableTurns({
  prisma,
  notifications,
  onLeft,
}: {
  prisma: PrismaClient
  notifications: Pick<Notifications, 'listen'>
  /** Ends a turn that is to stop, that no process runs and none will take up. */
  onLeft: (turnId: bigint) => Promise<void>
}) {
  const running = new Map<bigint, { turn: Stoppable; stop: () => void }>()
  notifications.listen(STOP_CHANNEL, {
    onNotification: (turnId) => running.get(BigInt(turnId))?.stop(),
    onGap: () => void catchUp(),
  })
  return { begin, stop }

  function begin(turn: Stoppable): StoppableTurn {
    const { promise: stopped, resolve } = Promise.withResolvers<void>()
    running.set(turn.id, { turn, stop: resolve })
    return { stopped, end: () => void running.delete(turn.id) }
  }

  async function stop(target: StopTarget, actor: Actor): Promise<StopOutcome> {
    const here = [...running.values()].find(({ turn }) => isTarget(turn, target))
    const turn = here?.turn ?? (await findStreaming(target))
    if (turn === undefined) return 'nothing'
    if (!mayDecide(turn, actor)) return 'not_yours'
    if (here !== undefined) {
      running.delete(here.turn.id)
      here.stop()
    } else if (await requestStop(prisma, turn.id)) {
      // What began it counts as handled, because something unexpected went wrong.
      if (!(await isHeldUp(prisma, turn))) await onLeft(turn.id)
    }
    return 'stopped'
  }

  async function findStreaming(target: StopTarget): Promise<Stoppable | undefined> {
    const { chatId } = target
    const which = 'turnId' in target ? { id: target.turnId } : { threadId: target.threadId }
    const row = await prisma.turn.findFirst({
      where: { chatId, state: 'streaming', ...which },
      orderBy: { id: 'desc' },
      select: { id: true, threadId: true, userId: true },
    })
    return row === null ? undefined : { ...row, chatId }
  }

  /** Stops what was asked to stop while this process did not listen. */
  async function catchUp(): Promise<void> {
    if (running.size === 0) return
    const where = { id: { in: [...running.keys()] }, stopRequestedAt: { not: null } }
    // The next connection looks again.
    const missed = await prisma.turn.findMany({ where, select: { id: true } }).catch(() => [])
    for (const { id } of missed) running.get(id)?.stop()
  }
}

export type StoppableTurns = ReturnType<typeof createStoppableTurns>

/** Who asked decides, and admins do. */
export function mayDecide({ userId }: Pick<Turn, 'userId'>, actor: Actor): boolean {
  return actor.isAdmin || BigInt(actor.userId) === userId
}

function isTarget({ id, chatId, threadId }: Stoppable, target: StopTarget): boolean {
  if (chatId !== target.chatId) return false
  return 'turnId' in target ? id === target.turnId : threadId === target.threadId
}
