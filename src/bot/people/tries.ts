import type { Clock } from '../../platform/time/clock.ts'

/** The failures of one sender in the window. Limits only the load: the secret cannot be guessed. */
const FAILURES_MAX = 10
const WINDOW_MS = 60_000
/** The most senders with a count of their own; the oldest is evicted first. */
const TRIERS_MAX = 10_000

/** Counts failed tries to get in by address or user, in each process. */
export function createTries(clock: Pick<Clock, 'now'>) {
  const failedAtMs = new Map<string, number[]>()
  return { waitMsOf, noteFailure: recordFailure }

  function waitMsOf(who: string): number {
    const recent = recentOf(who)
    const [first = 0] = recent
    return recent.length < FAILURES_MAX ? 0 : first + WINDOW_MS - clock.now()
  }

  function recordFailure(who: string): void {
    const recent = recentOf(who)
    failedAtMs.delete(who)
    failedAtMs.set(who, [...recent, clock.now()])
    const [oldest] = failedAtMs.keys()
    if (failedAtMs.size > TRIERS_MAX && oldest !== undefined) failedAtMs.delete(oldest)
  }

  function recentOf(who: string): number[] {
    const since = clock.now() - WINDOW_MS
    return (failedAtMs.get(who) ?? []).filter((ms) => ms > since)
  }
}
