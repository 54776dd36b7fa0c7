import { type Clock, systemClock } from '../../platform/time/clock.ts'

/** A server that answered within this time counts as reached. A poll of Telegram takes up to 45 s. */
const LATELY_MS = 60_000
/** How long nothing has been answered before a request is made only to find out. */
const QUIET_MS = 50_000
const RETRY_MS = 5_000

export interface ReachDeps {
  ask: (signal: AbortSignal) => Promise<unknown>
  clock?: Pick<Clock, 'now' | 'sleep'>
}

export type Reach = ReturnType<typeof createReach>

/** Knows whether a server outside of the process answered lately, and asks it if no other part does. */
export function createReach({ ask, clock = systemClock }: ReachDeps) {
  const stopping = new AbortController()
  const { signal } = stopping
  let answeredMs = Number.NEGATIVE_INFINITY
  return { recordAnswer, isReached, start, stop: () => stopping.abort() }

  function recordAnswer(): void {
    answeredMs = clock.now()
  }

  function isReached(): boolean {
    return clock.now() - answeredMs < LATELY_MS
  }

  function start(): void {
    void keepAsking()
  }

  async function keepAsking(): Promise<void> {
    while (!signal.aborted) {
      // A failure needs no record: the time of the last answer stays as it is.
      if (clock.now() - answeredMs >= QUIET_MS) await ask(signal).catch(() => {})
      const quietMs = clock.now() - answeredMs
      // `stop()` aborts the wait, which is no error.
      await clock.sleep(Math.max(RETRY_MS, QUIET_MS - quietMs), signal).catch(() => {})
    }
  }
}
