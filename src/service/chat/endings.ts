import type { FastifyBaseLogger } from 'fastify'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { settleWithin } from '../../platform/time/graceful-stop.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** The end of one hold, as its answer ended: the state of the database does not change it. */
export interface HoldEnd {
  requestId: string
  /**
   * Stores it. Safe to repeat.
   *
   * @returns False if the hold has ended otherwise, or is not there: nothing was stored.
   */
  store(ledger: Ledger): Promise<boolean>
}

type Log = Pick<FastifyBaseLogger, 'error'>

const REFUSAL_WAIT_MS = 30_000

/**
 * The process may end before it has stored that nothing is charged: no status would be true, the connection is broken
 * off instead.
 */
export class UnsureEndError extends Error {
  override readonly name = 'UnsureEndError'

  constructor(options?: ErrorOptions) {
    super('Cannot refuse: that nothing is charged is not stored', options)
  }
}

export type Endings = ReturnType<typeof createEndings>

/**
 * Stores the ends of holds, each until the database has it. There are at most as many as there were open requests when
 * it went away.
 *
 * A process has one, which outlives its epochs: another process may have guessed how requests of an epoch that lost
 * its lease ended, and only this one knows. If the process dies before, the crash rule ends the holds
 * (`../ledger/ends.ts`).
 */
export function createEndings({
  ledger: first,
  clock = systemClock,
}: {
  ledger?: Ledger
  clock?: Pick<Clock, 'now' | 'sleep'>
} = {}) {
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  let ledger = first
  return { useLedger, store, storeFirst, settle, stop }

  function useLedger(next: Ledger): void {
    ledger = next
  }

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
    let hasFailed = false
    const storing = tryOn(end, log, (error, delayMs) => {
      if (!hasFailed) log.error({ err: error }, 'end not stored yet, will be tried again')
      hasFailed = true
      if (clock.now() + delayMs > untilMs) waited.resolve(undefined)
    })
    running.add(storing)
    void storing.then(() => running.delete(storing))
    return await Promise.race([storing, waited.promise])
  }

  /**
   * Stores an end that makes a refusal true, before the refusal goes out.
   *
   * @throws {UnsureEndError} If that takes too long; it is tried on in the background.
   */
  async function storeFirst(end: HoldEnd, { log }: { log: Log }): Promise<void> {
    const isStored = await store(end, { log, waitMs: REFUSAL_WAIT_MS })
    if (isStored !== true) throw new UnsureEndError()
  }

  async function tryOn(
    end: HoldEnd,
    log: Log,
    onTrouble: (error: unknown, delayMs: number) => void,
  ): Promise<boolean | undefined> {
    const { signal } = stopping
    try {
      return await retryUntilStored(() => write(end), { clock, signal, onTrouble })
    } catch (error) {
      if (signal.aborted) return undefined
      log.error({ err: error, requestId: end.requestId }, 'end cannot be stored')
      return false
    }
  }

  async function write(end: HoldEnd): Promise<boolean> {
    if (ledger === undefined) throw new TypeError('Cannot end hold: there is no ledger')
    return await end.store(ledger)
  }

  async function settle(timeoutMs: number): Promise<void> {
    await settleWithin([...running], timeoutMs, clock)
  }

  function stop(): void {
    stopping.abort()
  }
}
