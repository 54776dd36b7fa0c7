import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { systemClock } from '../time/clock.ts'
import { findAlive } from './instance.ts'

const LOOK_INTERVAL_MS = 1000
/** A process that came and went between two looks was never seen: its leases are found by these. */
const LOOKS_PER_SWEEP = 60

/** Takes over what processes that have ended had leased. Safe to repeat; several may run at once. */
export type TakeOver = () => Promise<unknown>

export type Sweep = ReturnType<typeof startSweep>

export interface SweepDeps {
  pool: Pick<Pool, 'query'>
  log: Pick<Logger, 'error'>
}

/**
 * Starts the sweep of a process, for which each room brings the statement that takes over what is its own:
 * watches which processes live, by one short query a second for all rooms together.
 */
export function startSweep({ pool, log }: SweepDeps) {
  const takeOvers = new Set<TakeOver>()
  const failed = new Set<TakeOver>()
  const stopping = new AbortController()
  const { signal } = stopping
  let alive: readonly number[] = []
  const watching = watch()
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

  /** Calls nothing any more, and waits for what was called. */
  async function stop(): Promise<void> {
    stopping.abort()
    await watching
  }

  async function watch(): Promise<void> {
    for (let looks = 1; !signal.aborted; looks += 1) {
      const isDue = (await hasAnyEnded()) || looks % LOOKS_PER_SWEEP === 0
      for (const takeOver of isDue ? takeOvers : failed) {
        if (!signal.aborted) await run(takeOver)
      }
      // Stopping is what the wait is aborted for.
      await systemClock.sleep(LOOK_INTERVAL_MS, signal).catch(() => {})
    }
  }

  async function hasAnyEnded(): Promise<boolean> {
    try {
      const before = alive
      alive = await findAlive(pool)
      return before.some((id) => !alive.includes(id))
    } catch (error) {
      log.error({ err: error }, 'cannot see which processes live')
      return false
    }
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
