import type { Logger } from 'pino'
import { backoffMs } from '../time/backoff.ts'
import type { Clock } from '../time/clock.ts'
import { retry } from '../time/retry.ts'
import { errorFacts } from './telegram/error-facts.ts'

const REFRESH_MS = 600_000
const BACKOFF = { firstMs: 1000, maxMs: 30_000 }

export interface FreshDeps {
  /** What it is, for the log: "models". */
  name: string
  load: (signal: AbortSignal) => Promise<unknown>
  clock: Clock
  log: Logger
}

/** Keeps fresh what the service tells. */
export function createFresh({ name, load, clock, log }: FreshDeps) {
  const stopped = new AbortController()
  const { signal } = stopped
  return { start, stop, signal }

  /** Loads it in the background, until it is there and then from time to time. */
  function start(): void {
    void keepFresh()
  }

  /** Ends loads, also those by `signal`. */
  function stop(): void {
    stopped.abort()
  }

  async function keepFresh(): Promise<void> {
    try {
      for (;;) {
        await retry(() => load(signal), { clock, signal, delayAfter })
        await clock.sleep(REFRESH_MS, signal)
      }
    } catch {
      // Nothing but the end of the bot gets here.
    }
  }

  function delayAfter(error: unknown, attempts: number): number {
    const delayMs = backoffMs(BACKOFF, attempts)
    log.warn({ ...errorFacts(error), delayMs }, `${name} not loaded`)
    return delayMs
  }
}
