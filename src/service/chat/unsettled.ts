/**
 * The ends of requests that are not stored yet. Each is tried until the database has it, whatever state that is in. If
 * the process dies before, the crash rule ends its requests (`../ledger/ends.ts`).
 */
import type { FastifyBaseLogger } from 'fastify'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { InFlight } from '../../platform/in-flight.ts'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { settleWithin } from '../../platform/time/graceful-stop.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Stores one end. Safe to repeat. Returns false if the request has ended otherwise, or is not there. */
export type StoreEnd = (ledger: Ledger) => Promise<boolean>

interface StoreOptions {
  log: Pick<FastifyBaseLogger, 'error'>
  waitMs?: number | undefined
}

const REFUSAL_WAIT_MS = 30_000

/** No status would surely be true: the process may end before a release is stored. */
export class UnsureEndError extends Error {
  override readonly name = 'UnsureEndError'

  constructor(options?: ErrorOptions) {
    super('Cannot refuse: that nothing is charged is not stored', options)
  }
}

export class Unsettled {
  readonly #storing = new InFlight<Promise<unknown>>()
  readonly #ledger: Ledger
  readonly #clock: Pick<Clock, 'now' | 'sleep'>

  constructor(ledger: Ledger, clock: Pick<Clock, 'now' | 'sleep'> = systemClock) {
    this.#ledger = ledger
    this.#clock = clock
  }

  /** Stores an end, in the background after `waitMs`. Never rejects; undefined if it is not known yet whether it is stored. */
  async store(end: StoreEnd, { log, waitMs = 0 }: StoreOptions): Promise<boolean | undefined> {
    const untilMs = this.#clock.now() + waitMs
    const first = end(this.#ledger)
    const remove = this.#storing.add(first)
    try {
      return await first
    } catch {
      return await this.#storeAgain(end, { first, log, untilMs })
    } finally {
      remove()
    }
  }

  /** Repeats an end whose first attempt failed. */
  async #storeAgain(
    end: StoreEnd,
    { first, log, untilMs }: { first: Promise<boolean>; untilMs: number } & StoreOptions,
  ): Promise<boolean | undefined> {
    const clock = this.#clock
    const waited = Promise.withResolvers<undefined>()
    let hasFailed = false
    const onTrouble = (error: unknown, delayMs: number) => {
      if (!hasFailed) log.error({ err: error }, 'end not stored yet, will be tried again')
      hasFailed = true
      if (clock.now() + delayMs > untilMs) waited.resolve(undefined)
    }
    const attempts = [first]
    const storing = retryUntilStored(() => attempts.pop() ?? end(this.#ledger), {
      clock,
      onTrouble,
    }).catch((error: unknown) => {
      log.error({ err: error }, 'end cannot be stored')
      return false
    })
    void storing.finally(this.#storing.add(storing))
    return await Promise.race([storing, waited.promise])
  }

  /** Stores an end that makes a refusal true, before the refusal goes out. @throws {UnsureEndError} */
  async storeFirst(end: StoreEnd, { log }: StoreOptions): Promise<void> {
    const isStored = await this.store(end, { log, waitMs: REFUSAL_WAIT_MS })
    if (isStored !== true) throw new UnsureEndError()
  }

  /** Waits until all ends are stored, at most for `timeoutMs`. */
  async settle(timeoutMs: number): Promise<void> {
    const untilMs = this.#clock.now() + timeoutMs
    let isInTime = true
    // The repetitions of an end begin when its first attempt fails.
    while (isInTime && this.#storing.list().length > 0) {
      isInTime = await settleWithin(this.#storing.list(), untilMs - this.#clock.now(), this.#clock)
    }
  }
}
