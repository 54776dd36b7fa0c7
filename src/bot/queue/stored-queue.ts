/**
 * The queue of one kind of request in the database, shared by all processes.
 *
 * Invariants:
 * - in any 61 s, wherever they begin, at most `limit` requests go, whichever processes send them;
 * - while anything waits for a living process, nothing goes but what is next in turn;
 * - while the service is away, one request is tried at a time, whichever process has it.
 *
 * A change holds the row of the gate until it is stored. The one clock is the database's.
 */
import type { Pool } from 'pg'
import type { Prisma, PrismaClient } from '../../platform/database/generated/client.ts'
import { isEndedSql } from '../../platform/database/instance/instance-row.ts'
import { nameParameters } from '../../platform/database/named-statement.ts'
import { inTurn, type Waiting } from './fair-queue.ts'
import {
  type Gate,
  gateAfter,
  nextSlots,
  type RequestKind,
  type RequestOutcome,
  WINDOW_MS,
} from './rate-limit.ts'

/** How long an entry of a process that has ended keeps its position for the one that takes it up. */
const KEPT_MS = 6 * 3600_000
/** A process that freezes in the middle of a change holds up the others for no longer. */
const LOCKED_MS_MAX = 2_000

/** A turn or an order in the queue. Instants are milliseconds of the database's clock. */
export interface QueueEntry extends Waiting {
  readonly leaseOwner: number | null
  readonly sentAt: number | undefined
}

/** A change of an entry of this process. */
export interface EntryChange extends Pick<QueueEntry, 'id' | 'userId'>, RequestOutcome {
  readonly waits: boolean
}

/** The queue as it stands after a change. */
export interface QueueSnapshot {
  readonly now: number
  readonly sent: readonly QueueEntry[]
  /** Next in turn first. */
  readonly waiting: readonly QueueEntry[]
  readonly slots: readonly number[]
  readonly isAway: boolean
}

/** Names the gate of a slot that another statement takes: `talk/turns/begin-turn.ts`. */
export interface SlotRequest {
  readonly kind: RequestKind
  /** Requests in `windowMs`. */
  readonly limit: number
  readonly windowMs: number
}

export interface StoredQueueDeps {
  prisma: PrismaClient
  pool: Pick<Pool, 'query'>
  instanceId: number
  kind: RequestKind
  /** Requests in a minute. */
  limit: number
}

/** The channel that notifies processes of a change in the queue of a kind, and of who made it. */
export function queueChannel(kind: RequestKind): string {
  return `bot.queue_entry.${kind}`
}

export function createStoredQueue({ prisma, pool, instanceId, kind, limit }: StoredQueueDeps) {
  return { takeSlots, slotRequest, change, release }

  /** Takes a slot for each of so many requests if nothing waits and all of them may go now. */
  async function takeSlots(count: number): Promise<number | undefined> {
    const { rows } = await pool.query<{ sentAt: Date }>({
      name: 'queue-take-slots',
      text: TAKE.text,
      values: TAKE.valuesOf({
        queueKind: kind,
        slots: count,
        slotsMax: limit,
        windowMs: WINDOW_MS,
      }),
    })
    return rows[0]?.sentAt.getTime()
  }

  function slotRequest(): SlotRequest {
    return { kind, limit, windowMs: WINDOW_MS }
  }

  /** Notifies the others if they have entries in the queue. Safe to repeat. */
  function change(changes: readonly EntryChange[]): Promise<QueueSnapshot> {
    return prisma.$transaction(async (tx) => {
      const { now, ...before } = await lockGate(tx)
      await storeChanges(tx, changes, now)
      const { sent, waiting } = await readEntries(tx, now)
      const gate = gateAfter(before, changes, now)
      const slots = nextSlots(waiting.length, gate, { limit, now })
      const count = slots.filter((at) => at <= now).length
      const going = waiting.slice(0, count).map((entry) => ({ ...entry, sentAt: now }))
      if (count > 0) await letThrough(tx, going, now)
      if (count > 0 || changes.length > 0) {
        await storeGate(tx, { ...gate, sentAt: [...gate.sentAt, ...going.map(() => now)] })
        if (waiting.some(({ leaseOwner }) => leaseOwner !== instanceId)) await notifyOthers(tx)
      }
      const rest = { waiting: waiting.slice(count), slots: slots.slice(count) }
      return { now, sent: [...sent, ...going], ...rest, isAway: gate.awayTries > 0 }
    })
  }

  /** Ends the leases of what waits in this process: it is passed over until a process takes it up. */
  async function release(): Promise<void> {
    const where = { kind, leaseOwner: instanceId, sentAt: null }
    await prisma.queueEntry.updateMany({ where, data: { leaseOwner: null } })
  }

  async function lockGate(tx: Prisma.TransactionClient): Promise<Gate & { now: number }> {
    const [row] = await tx.$queryRaw<
      { now: Date; sentAt: Date[]; closedUntil: Date | null; awayTries: number }[]
    >`
      WITH locked AS MATERIALIZED (
        SELECT *, set_config('idle_in_transaction_session_timeout', ${String(LOCKED_MS_MAX)}, true)
        FROM bot.service_gate WHERE kind = ${kind} FOR UPDATE
      )
      SELECT date_trunc('milliseconds', clock_timestamp()) AS now, sent_at AS "sentAt",
        closed_until AS "closedUntil", away_tries AS "awayTries" FROM locked`
    if (row === undefined) throw new Error(`Cannot change queue: "${kind}" has no gate`)
    const sentAt = row.sentAt.map((at) => at.getTime())
    const { awayTries, closedUntil } = row
    return { now: row.now.getTime(), sentAt, closedUntil: closedUntil?.getTime() ?? 0, awayTries }
  }

  async function storeGate(
    tx: Prisma.TransactionClient,
    { sentAt, closedUntil, awayTries }: Gate,
  ): Promise<void> {
    const data = {
      // Without `set` Prisma would make a plan for each list, and keep it.
      sentAt: { set: sentAt.map((at) => new Date(at)) },
      closedUntil: new Date(closedUntil),
      awayTries,
    }
    await tx.serviceGate.update({ where: { kind }, data })
  }

  async function storeChanges(
    tx: Prisma.TransactionClient,
    changes: readonly EntryChange[],
    now: number,
  ): Promise<void> {
    // Of one entry the last change counts.
    const last = [...new Map(changes.map((change) => [change.id, change])).values()]
    const waits = last.filter((one) => one.waits)
    const goneIds = last.filter((one) => !one.waits).map(({ id }) => id)
    if (goneIds.length > 0) {
      await tx.queueEntry.deleteMany({ where: { kind, id: { in: goneIds } } })
    }
    if (waits.length === 0) return
    // An entry that was tried in vain goes to the end.
    const tried = waits.filter(({ isAway }) => isAway).map(({ id }) => id)
    if (tried.length > 0) {
      await tx.queueEntry.updateMany({
        where: { kind, id: { in: tried } },
        data: { queuedAt: new Date(now), awayTries: { increment: 1 } },
      })
    }
    // An entry that is there keeps its position: it is put back, or taken over from a process that has ended.
    await tx.queueEntry.updateMany({
      where: { kind, id: { in: waits.map(({ id }) => id) } },
      data: { leaseOwner: instanceId, sentAt: null },
    })
    await tx.queueEntry.createMany({
      data: waits.map(({ id, userId, uncountedAt = now, isAway = false }) => ({
        kind,
        id,
        userId,
        leaseOwner: instanceId,
        queuedAt: new Date(isAway ? now : uncountedAt),
        awayTries: isAway ? 1 : 0,
      })),
      skipDuplicates: true,
    })
  }

  async function readEntries(tx: Prisma.TransactionClient, now: number) {
    await tx.$executeRawUnsafe(END_LEASES, kind)
    await tx.queueEntry.deleteMany({
      where: { kind, leaseOwner: null, queuedAt: { lt: new Date(now - KEPT_MS) } },
    })
    const rows = await tx.queueEntry.findMany({ where: { kind, leaseOwner: { not: null } } })
    const entries = rows.map(
      ({ queuedAt, sentAt, ...row }): QueueEntry => ({
        ...row,
        queuedAt: queuedAt.getTime(),
        sentAt: sentAt?.getTime(),
      }),
    )
    return {
      sent: entries.filter(({ sentAt }) => sentAt !== undefined),
      waiting: inTurn(entries.filter(({ sentAt }) => sentAt === undefined)),
    }
  }

  async function letThrough(
    tx: Prisma.TransactionClient,
    going: readonly QueueEntry[],
    now: number,
  ): Promise<void> {
    const ids = going.map(({ id }) => id)
    await tx.queueEntry.updateMany({
      where: { kind, id: { in: ids } },
      data: { sentAt: new Date(now) },
    })
    // After those that came just now.
    await tx.queueEntry.updateMany({
      where: { kind, userId: { in: going.map(({ userId }) => userId) }, sentAt: null },
      data: { queuedAt: new Date(now + 1) },
    })
  }

  async function notifyOthers(tx: Prisma.TransactionClient): Promise<void> {
    await tx.$executeRaw`SELECT pg_notify(${queueChannel(kind)}, ${String(instanceId)})`
  }
}

export type StoredQueue = ReturnType<typeof createStoredQueue>

/**
 * Who comes at the same time waits for the row, and is judged by its newest version. An instant that is ahead by more
 * than a window is from before the clock was set back, and does not count.
 */
const TAKE_SLOTS = `
UPDATE bot.service_gate
SET sent_at = ARRAY(
    SELECT at FROM unnest(sent_at) AS at
    WHERE at > clock_timestamp() - :windowMs * interval '1 ms'
      AND at < clock_timestamp() + :windowMs * interval '1 ms'
  ) || array_fill(clock_timestamp(), ARRAY[:slots::int])
WHERE kind = :queueKind AND cardinality(ARRAY(
    SELECT at FROM unnest(sent_at) AS at
    WHERE at > clock_timestamp() - :windowMs * interval '1 ms'
      AND at < clock_timestamp() + :windowMs * interval '1 ms'
  )) + :slots::int <= :slotsMax::int
  AND away_tries = 0 AND coalesce(closed_until <= clock_timestamp(), true)
  AND NOT EXISTS (
    SELECT FROM bot.queue_entry
    WHERE kind = :queueKind AND sent_at IS NULL AND lease_owner IS NOT NULL)
RETURNING sent_at[cardinality(sent_at)] AS "sentAt"`

const TAKE = nameParameters(TAKE_SLOTS)

const END_LEASES = `
  UPDATE bot.queue_entry SET lease_owner = NULL
  WHERE kind = $1 AND ${isEndedSql('lease_owner')}`
