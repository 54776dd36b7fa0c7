import type { Pool } from 'pg'
import type { Instance } from './instance.ts'
import { INSTANCE_CHANNEL } from './instance-row.ts'
import type { Sweep } from './sweep.ts'

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
