import { type Clock, systemClock } from '../../platform/time/clock.ts'

/** What answered within this time counts as there. A poll of Telegram takes up to 45 s. */
const LATELY_MS = 60_000
/** Asked only where nothing else has been answered for so long. */
const QUIET_MS = 50_000
const RETRY_MS = 5_000

export interface ReachDeps {
  /** Asks for something that costs little. Whether it succeeds is found out by `note()`. */
  ask: (signal: AbortSignal) => Promise<unknown>
  clock?: Pick<Clock, 'now' | 'sleep'>
}

export type Reach = ReturnType<typeof createReach>

/** Whether something outside of the process answered lately. Where nobody asked it anything, it is asked. */
export function createReach({ ask, clock = systemClock }: ReachDeps) {
  const stopping = new AbortController()
  const { signal } = stopping
  let answeredMs = Number.NEGATIVE_INFINITY
  return { note, isReached, start, stop: () => stopping.abort() }

  /** Notes an answer. */
  function note(): void {
    answeredMs = clock.now()
  }

  function isReached(): boolean {
    return clock.now() - answeredMs < LATELY_MS
  }

  /** Asks from time to time, until `stop()`. */
  function start(): void {
    void keepAsking()
  }

  async function keepAsking(): Promise<void> {
    while (!signal.aborted) {
      // That it does not answer is seen by what is not noted.
      if (clock.now() - answeredMs >= QUIET_MS) await ask(signal).catch(() => {})
      const quietMs = clock.now() - answeredMs
      // Stopping is what the wait is aborted for.
      await clock.sleep(Math.max(RETRY_MS, QUIET_MS - quietMs), signal).catch(() => {})
    }
  }
}
