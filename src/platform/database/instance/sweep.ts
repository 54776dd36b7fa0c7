import type { Pool } from 'pg'
import type { Instance } from './instance.ts'
import { INSTANCE_CHANNEL } from './instance-row.ts'
import type { Notifications } from './notifications.ts'

/** A process that has lost its lease may have leased a row before it noticed: such a row is found by these. */
const SWEEP_INTERVAL_MS = 60_000
const RETRY_MS = 1_000

/** Takes over what processes that have ended had leased. Safe to repeat; several may run at once. */
export type TakeOver = () => Promise<unknown>

export type Sweep = ReturnType<typeof startSweep>

export interface SweepDeps {
  notifications: Pick<Notifications, 'listen'>
  log: { error(fields: object, message: string): void }
}

/**
 * Starts the sweep of a process, for which each room brings the statement that takes over what is its own:
 * waits for the ends of other processes.
 */
export function startSweep({ notifications, log }: SweepDeps) {
  const takeOvers = new Set<TakeOver>()
  const failed = new Set<TakeOver>()
  let sweeping: Promise<unknown> = Promise.resolve()
  const sweepAll = () => sweep(takeOvers)
  notifications.listen(INSTANCE_CHANNEL, { onNotification: sweepAll, onGap: sweepAll })
  const timers = [
    setInterval(sweepAll, SWEEP_INTERVAL_MS),
    setInterval(() => sweep(failed), RETRY_MS),
  ]
  return { add, stop }

  /**
   * Has `takeOver` called now, whenever another process has ended, and once a minute.
   *
   * @returns Resolves after the first call, also where it failed: it is then called again in a second.
   */
  async function add(takeOver: TakeOver): Promise<void> {
    takeOvers.add(takeOver)
    await run(takeOver)
  }

  async function stop(): Promise<void> {
    takeOvers.clear()
    failed.clear()
    for (const timer of timers) clearInterval(timer)
    await sweeping
  }

  /** One that hangs holds up no other. */
  function sweep(some: ReadonlySet<TakeOver>): void {
    sweeping = Promise.all([sweeping, ...Array.from(some, run)])
  }

  async function run(takeOver: TakeOver): Promise<void> {
    try {
      await takeOver()
      failed.delete(takeOver)
    } catch (error) {
      failed.add(takeOver)
      log.error({ err: error }, 'leases of ended processes not taken over, tried again')
    }
  }
}

export interface LeaderDeps {
  pool: Pick<Pool, 'query'>
  instance: Pick<Instance, 'id' | 'lost'>
  sweep: Pick<Sweep, 'add'>
  signal: AbortSignal
}

// A unique index lets one of two succeed that ask at the same moment.
const LEAD = `
  UPDATE public.instance SET leads = true
  WHERE id = $1 AND NOT EXISTS (SELECT FROM public.instance WHERE leads AND id <> $1)
  RETURNING id`

// Those who wait for the lead ask for it when a process ends; this one may be there for long, with what it has begun.
const GIVE_UP = `
  WITH given AS (UPDATE public.instance SET leads = false WHERE id = $1 AND leads RETURNING id)
  SELECT pg_notify('${INSTANCE_CHANNEL}', '') FROM given`

/**
 * Runs `lead` while this process is the leader, which one living process at a time is: it leads until
 * it stops, or ends in the eyes of the others, hung or dead. The signal that `lead` gets is aborted by then.
 *
 * @returns Resolves when the signal is aborted, or the process lost its lease.
 * @throws What `lead()` threw while it led.
 */
export async function leadWhenFree(
  lead: (signal: AbortSignal) => Promise<void>,
  { pool, instance, sweep, signal }: LeaderDeps,
): Promise<void> {
  const over = AbortSignal.any([signal, instance.lost])
  const begun = Promise.withResolvers<void>()
  over.addEventListener('abort', () => begun.resolve(), { once: true })
  void sweep.add(async () => {
    if (over.aborted) return
    const { rowCount } = await pool.query(LEAD, [instance.id])
    if (rowCount === 1) begun.resolve()
  })
  await begun.promise
  try {
    if (!over.aborted) await lead(over)
  } catch (error) {
    if (!over.aborted) throw error
  }
  // Where the database is away its row goes, sooner or later.
  await pool.query(GIVE_UP, [instance.id]).catch(() => {})
}
