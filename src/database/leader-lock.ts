import type { Pool, PoolClient } from 'pg'
import { NOTICE_DEATH_SQL } from './instance.ts'

/** Held by the one process that leads. */
const LEADER_LOCK = 0x706f6c6c

const RECONNECT_MS = 1_000
/** How often a process that waits for the lock asks for it. */
const ASK_MS = 1_000

export interface LeadDeps {
  /** Gives away one connection, which holds the lock and must not go through a transaction pooler. */
  pool: Pool
  /** Told when the lock was lost; it is asked for again. */
  onLost: (error: unknown) => void
  clock: { sleep(delayMs: number, signal: AbortSignal): Promise<void> }
  /** Ends the lead. */
  signal: AbortSignal
}

/**
 * Runs `lead` in one living process at a time. Its signal is aborted when the lock is lost:
 * by then another process may lead.
 *
 * @returns When the signal is aborted and the connection closed.
 * @throws What `lead()` threw while it led.
 */
export async function leadWhenFree(
  lead: (signal: AbortSignal) => Promise<void>,
  { pool, onLost, clock, signal }: LeadDeps,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const client = await pool.connect()
      await leadOn(client, lead, { clock, signal })
    } catch (error) {
      if (error instanceof LeadError) throw error.cause
      if (signal.aborted) return
      onLost(error)
      await clock.sleep(RECONNECT_MS, signal).catch(() => {})
    }
  }
}

/** Tells the failure of what was led from that of the connection. */
class LeadError extends Error {
  override readonly name = 'LeadError'
}

async function leadOn(
  client: PoolClient,
  lead: (signal: AbortSignal) => Promise<void>,
  { clock, signal }: Pick<LeadDeps, 'clock' | 'signal'>,
): Promise<void> {
  const lost = new AbortController()
  const over = AbortSignal.any([signal, lost.signal])
  client.on('error', (error) => lost.abort(error))
  try {
    await client.query(NOTICE_DEATH_SQL)
    while (!(await tryLock(client))) await clock.sleep(ASK_MS, over)
    await lead(over).catch((cause: unknown) => {
      if (!over.aborted) throw new LeadError('Cannot lead', { cause })
    })
    lost.signal.throwIfAborted()
  } finally {
    // Closed, not given back to the pool: the lock goes with it.
    client.release(true)
  }
}

async function tryLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ isOurs: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS "isOurs"',
    [LEADER_LOCK],
  )
  return rows[0]?.isOurs ?? false
}
