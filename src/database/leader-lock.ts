import type { Clock } from '../time/clock.ts'
import type { Session, SessionConnection } from './session.ts'

/** Held by the one process that leads. */
const LEADER_LOCK = 0x706f6c6c

/** How often a process that waits for the lock asks for it. */
const ASK_MS = 1_000

export interface LeaderLockDeps {
  /** Holds the lock. */
  session: Pick<Session, 'connection'>
  clock: Pick<Clock, 'sleep'>
  /** Ends the lead and the wait for it. */
  signal: AbortSignal
}

/**
 * Runs `lead` while this process holds the leader lock, which one process at a time does. The signal
 * that `lead` gets is aborted when the lock is lost: by then another process may lead.
 *
 * @returns Resolves when the signal is aborted.
 * @throws What `lead()` threw while it led.
 */
export async function leadWhenFree(
  lead: (signal: AbortSignal) => Promise<void>,
  { session, clock, signal }: LeaderLockDeps,
): Promise<void> {
  while (!signal.aborted) {
    const connection = session.connection()
    if (connection !== undefined && (await tryLock(connection))) {
      const over = AbortSignal.any([signal, connection.lost])
      try {
        await lead(over)
      } catch (error) {
        if (!over.aborted) throw error
      } finally {
        await unlock(connection)
      }
    }
    // The end of the lead is what the wait is aborted for.
    await clock.sleep(ASK_MS, signal).catch(() => {})
  }
}

async function tryLock(connection: SessionConnection): Promise<boolean> {
  try {
    const [answer] = await connection.query<{ isOurs: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS "isOurs"',
      [LEADER_LOCK],
    )
    return answer?.isOurs ?? false
  } catch {
    // The connection broke, of which the session tells.
    return false
  }
}

async function unlock(connection: SessionConnection): Promise<void> {
  // A connection that broke gave the lock back itself.
  await connection.query('SELECT pg_advisory_unlock($1)', [LEADER_LOCK]).catch(() => {})
}
