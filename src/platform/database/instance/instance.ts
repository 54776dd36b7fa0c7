/**
 * A running process, as the database sees it: a row that it renews, and the leases that name it.
 *
 * Invariants:
 * - the id is given once, to one life of one process, and never again;
 * - a process lives as long as its row is there. The process itself removes it, or the next process of its name, or another
 *   process that has seen it silent: then only if it has not been renewed since;
 * - removing a row notifies every process in the same transaction;
 * - a leased row names its lease owner in `lease_owner`, and so does every statement that changes it. A lease holds as long
 *   as its owner lives; then any process may take it over.
 */
import { type Clock, systemClock } from '../../time/clock.ts'
import { settleWithin } from '../../time/graceful-stop.ts'
import { openSession, type Session } from './session.ts'

export const INSTANCE_CHANNEL = 'instance_ended'

export type Work = 'bot' | 'service'

export interface InstanceRow {
  id: number
  works: Work[]
  leads: boolean
  handsOver: boolean
  /** When it was last renewed, by the database's clock, to the microsecond. */
  beatAt: string
}

// It is committed as all else is. A crash of the server would lose no more than a second of it, but a primary that
// nobody follows any more, since the cluster failed over, must renew no lease: where standbys are synchronous it waits.
const BEAT = `
  WITH beat AS (
    UPDATE public.instance SET beat_at = clock_timestamp() WHERE id = $1
    RETURNING *
  )
  SELECT id, works, leads, hands_over AS "handsOver", beat_at::text AS "beatAt" FROM (
    SELECT * FROM beat UNION ALL SELECT * FROM public.instance WHERE id <> $1
  ) AS instance`

const HEARTBEAT_MS = 1_000
const IN_TOUCH_MS = 2_500
/** A connection that is cut off reports nothing: it is given up after so long without an answer. */
const HEARTBEAT_TIMEOUT_MS = 3_000
const LEASE_MS = 7_000
/** How long before others may take over a process stops acting: what it began then gets through. */
const MARGIN_MS = 1_000
/** An observer that itself saw nothing for longer does not know which other processes were cut off. */
const GAP_MS_MAX = 3_000

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'lease_lost'

  constructor(id: number) {
    super(`Cannot go on as instance ${id}: a lease was lost`)
  }
}

export interface Instance {
  id: number
  session: Session
  /** Aborted when others have taken over, or may have. */
  lost: AbortSignal
  /** Resolves while the lease surely holds, else rejects. Wait for it right before anything that goes out. */
  leased(): Promise<void>
  isInTouch(): boolean
  others(): readonly InstanceRow[]
  /** Ends the lease and closes the session: from here on any process may take over what carries the id. */
  release(): Promise<void>
}

export interface InstanceDeps {
  url: string
  onError: (error: Error) => void
  onSilence?: () => void
  onAnswer?: () => void
  works?: Iterable<Work>
  /** No other living process may have it; an earlier one of the same name has ended. */
  name?: string | undefined
  clock?: Clock
}

export async function registerInstance(deps: InstanceDeps): Promise<Instance> {
  const { url, onError, onSilence = () => {}, onAnswer = () => {} } = deps
  const { works = [], name, clock = systemClock } = deps
  const session = await openSession(url, onError)
  let isHeld = startLease(clock)
  const id = await addRow().catch(async (error) => {
    await session.close()
    throw error
  })
  const closing = new AbortController()
  const losing = new AbortController()
  const silence = createSilenceWatch()
  let answeredMs = clock.now()
  let living: InstanceRow[] = []
  let renewed = Promise.withResolvers<void>()
  await renew()
  const renewing = keepRenewing()
  return { id, session, lost: losing.signal, leased, isInTouch, others, release }

  async function addRow(): Promise<number> {
    if (name !== undefined) await session.query(removeSql('name = $1'), [name])
    const [row] = await session.query<{ id: number }>(
      'INSERT INTO public.instance (name, works) VALUES ($1, $2) RETURNING id',
      [name, [...works]],
    )
    if (row === undefined) throw new Error('Cannot register instance: no row came back')
    return row.id
  }

  async function leased(): Promise<void> {
    while (!isHeld()) {
      losing.signal.throwIfAborted()
      await renewed.promise
    }
    losing.signal.throwIfAborted()
  }

  async function release(): Promise<void> {
    closing.abort()
    await renewing
    // If the database is away, the lease ends by time.
    if (session.connection() !== undefined) {
      const removed = session.query(removeSql('id = $1'), [id]).catch(onError)
      await settleWithin([removed], HEARTBEAT_TIMEOUT_MS)
    }
    lose()
    await session.close()
  }

  async function keepRenewing(): Promise<void> {
    while (!closing.signal.aborted && !losing.signal.aborted) {
      // Being released is what the wait is aborted for.
      await clock.sleep(HEARTBEAT_MS, closing.signal).catch(() => {})
      if (!closing.signal.aborted) await renew()
    }
  }

  async function renew(): Promise<void> {
    const connection = session.connection()
    // The session reports a connection that is being replaced.
    if (connection === undefined) return
    const giveUp = setTimeout(() => {
      connection.lose(new Error('Connection terminated: no answer'))
      onSilence()
    }, HEARTBEAT_TIMEOUT_MS)
    const isHeldFromHere = startLease(clock)
    try {
      living = await connection.query<InstanceRow>(BEAT, [id])
      answeredMs = clock.now()
      onAnswer()
      if (!living.some((row) => row.id === id)) return lose()
      isHeld = isHeldFromHere
      renewed.resolve()
      renewed = Promise.withResolvers()
      const silent = silence.observe(living, clock.now())
      for (const row of silent) {
        await connection.query(removeSql('id = $1 AND beat_at = $2::timestamptz'), [
          row.id,
          row.beatAt,
        ])
      }
    } catch (error) {
      connection.lose(error)
    } finally {
      clearTimeout(giveUp)
    }
  }

  function isInTouch(): boolean {
    return session.connection() !== undefined && clock.now() - answeredMs < IN_TOUCH_MS
  }

  function others(): readonly InstanceRow[] {
    return living.filter((row) => row.id !== id)
  }

  function lose(): void {
    losing.abort(new LeaseLostError(id))
    renewed.resolve()
  }
}

/** Counts by both clocks of the machine: one stops while a virtual machine does, the other can be set. */
function startLease(clock: Pick<Clock, 'now' | 'date'>): () => boolean {
  const startMs = clock.now()
  const startDateMs = clock.date().getTime()
  return () =>
    Math.max(clock.now() - startMs, clock.date().getTime() - startDateMs) < LEASE_MS - MARGIN_MS
}

/**
 * Finds the processes that are silent, by the observer's own clock alone: no clock of another machine can be wrong. Only
 * an observer that was in touch for a whole lease finds any: after the database was away every process has that long to
 * come back.
 */
export function createSilenceWatch() {
  let seen = new Map<number, { beatAt: string; sinceMs: number }>()
  let lastMs = Number.NEGATIVE_INFINITY
  return { observe }

  function observe(rows: readonly InstanceRow[], nowMs: number): InstanceRow[] {
    const before = nowMs - lastMs > GAP_MS_MAX ? undefined : seen
    lastMs = nowMs
    seen = new Map(
      rows.map(({ id, beatAt }) => {
        const known = before?.get(id)
        return [id, known?.beatAt === beatAt ? known : { beatAt, sinceMs: nowMs }]
      }),
    )
    return rows.filter(({ id }) => nowMs - (seen.get(id)?.sinceMs ?? nowMs) >= LEASE_MS)
  }
}

export function removeSql(condition: string): string {
  return `
    WITH removed AS (DELETE FROM public.instance WHERE ${condition} RETURNING id)
    SELECT pg_notify('${INSTANCE_CHANNEL}', '') FROM removed`
}

/** SQL that is true if the process with the id in `column` lives. The expression is not escaped. */
export function aliveSql(column: string): string {
  return `EXISTS (SELECT FROM public.instance WHERE instance.id = ${column})`
}

export function isEndedSql(leaseOwner: string): string {
  return `(${leaseOwner} IS NOT NULL AND NOT ${aliveSql(leaseOwner)})`
}

export function isFreeSql(leaseOwner: string): string {
  return `(${leaseOwner} IS NULL OR NOT ${aliveSql(leaseOwner)})`
}
