import type { Logger } from 'pino'
import type { Clock } from '../../platform/time/clock.ts'
import { backoffMs, retry } from '../../platform/time/retry.ts'
import { errorFacts } from '../telegram/error-facts.ts'

const REFRESH_MS = 600_000
const BACKOFF = { firstMs: 1000, maxMs: 30_000 }

export interface FreshDeps {
  name: string
  load: (signal: AbortSignal) => Promise<unknown>
  clock: Clock
  log: Logger
}

/** Keeps fresh what the service answers. */
export function createFresh({ name, load, clock, log }: FreshDeps) {
  const stopped = new AbortController()
  const { signal } = stopped
  let pause = new AbortController()
  return { start, stop, refresh, signal }

  function start(): void {
    void keepFresh()
  }

  function refresh(): void {
    pause.abort()
  }

  function stop(): void {
    stopped.abort()
  }

  async function keepFresh(): Promise<void> {
    try {
      for (;;) {
        // One that is asked for while it loads may come too late for that load.
        pause = new AbortController()
        await retry(() => load(signal), { clock, signal, delayAfter })
        const woken = AbortSignal.any([signal, pause.signal])
        await clock.sleep(REFRESH_MS, woken).catch(() => signal.throwIfAborted())
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
