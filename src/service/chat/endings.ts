import type { FastifyBaseLogger } from 'fastify'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { settleWithin } from '../../platform/time/graceful-stop.ts'
import type { LedgerSql } from '../ledger/batch/operation.ts'

/** The end of one hold, as its answer ended: the state of the database does not change it. */
export interface HoldEnd {
  requestId: string
  /**
   * Stores it. Safe to repeat.
   *
   * @returns False if the hold has ended otherwise, or is not there: nothing was stored.
   */
  store(sql: LedgerSql): Promise<boolean>
}

type Log = Pick<FastifyBaseLogger, 'error'>

/**
 * The ends that the database does not have yet, by request. They outlive the epoch of a process that lost its lease:
 * another process may have guessed how those requests ended, and only this one knows.
 */
export type UnstoredEnds = Map<string, { end: HoldEnd; log: Log }>

export interface EndingsDeps {
  sql: LedgerSql
  /** Those that an epoch before has left. */
  unstored?: UnstoredEnds | undefined
  clock?: Pick<Clock, 'now' | 'sleep'>
}

export type Endings = ReturnType<typeof createEndings>

/**
 * Stores the ends of holds, each until the database has it. There are at most as many as there were open requests when
 * it went away; if the process dies before, the crash rule ends the holds (`../ledger/take-over-holds.ts`).
 */
export function createEndings({ sql, unstored = new Map(), clock = systemClock }: EndingsDeps) {
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  for (const { end, log } of unstored.values()) void store(end, { log, waitMs: 0 })
  return { store, stop }

  /**
   * Stores an end, and goes on in the background where that takes longer than the caller waits. Never rejects.
   *
   * @param waitMs How long the caller waits for the first attempt and those that follow it.
   * @returns Whether it is stored; false if the hold has ended otherwise; undefined if that is not known yet.
   */
  async function store(
    end: HoldEnd,
    { log, waitMs }: { log: Log; waitMs: number },
  ): Promise<boolean | undefined> {
    const untilMs = clock.now() + waitMs
    const waited = Promise.withResolvers<undefined>()
    unstored.set(end.requestId, { end, log })
    let hasFailed = false
    const storing = tryOn(end, log, (error, delayMs) => {
      if (!hasFailed) log.error({ err: error }, 'hold not ended yet, will be tried again')
      hasFailed = true
      if (clock.now() + delayMs > untilMs) waited.resolve(undefined)
    })
    running.add(storing)
    void storing.then(() => running.delete(storing))
    return await Promise.race([storing, waited.promise])
  }

  async function tryOn(
    end: HoldEnd,
    log: Log,
    onTrouble: (error: unknown, delayMs: number) => void,
  ): Promise<boolean | undefined> {
    const { signal } = stopping
    try {
      const isStored = await retryUntilStored(() => end.store(sql), { clock, signal, onTrouble })
      unstored.delete(end.requestId)
      return isStored
    } catch (error) {
      // It is left for the next epoch.
      if (signal.aborted) return undefined
      unstored.delete(end.requestId)
      log.error({ err: error, requestId: end.requestId }, 'hold cannot be ended')
      return false
    }
  }

  /** Tries on for `timeoutMs` at most. */
  async function stop(timeoutMs: number): Promise<void> {
    await settleWithin([...running], timeoutMs, clock)
    stopping.abort()
  }
}
