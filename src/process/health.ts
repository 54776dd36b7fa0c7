import { type Clock, systemClock } from '../platform/time/clock.ts'
import { type NamedProxies, nameProxies, type ProcessProxies } from './process-proxies.ts'

/** Checks something that the process needs for its work. @returns The problem with it, if there is one. */
export type HealthCheck = () => string | undefined

/** The answer of `GET /healthz`. */
export interface HealthReport {
  ready: boolean
  reasons: string[]
  version: string
  proxies?: NamedProxies
}

export type Health = ReturnType<typeof createHealth>
export type Reach = ReturnType<typeof createReach>

const TURN_MS = 1_000
const LATE_MS_MAX = 2_000
/** How long a halt is reported after it: during the halt nothing is. */
const BLOCKED_REPORT_MS = 5_000

const STARTING: readonly HealthCheck[] = [() => 'the process is starting']

/** Knows whether the process can do its work. A report waits for nothing. */
export function createHealth({
  isStopping,
  version,
  proxies = {},
  clock = systemClock,
}: {
  isStopping: () => boolean
  version: string
  proxies?: ProcessProxies
  clock?: Pick<Clock, 'now' | 'sleep'>
}) {
  let checks = STARTING
  return { begin, report }

  /**
   * Makes the process ready as long as these checks find nothing.
   *
   * @returns A function to call when the roles end.
   */
  function begin(own: readonly HealthCheck[]): () => void {
    const loop = watchLoop(clock)
    checks = [...own, loop.check]
    return () => {
      checks = STARTING
      loop.stop()
    }
  }

  function report(): HealthReport {
    const found = isStopping() ? ['the process is stopping'] : checks.map((check) => check())
    const reasons = found.filter((reason) => reason !== undefined)
    const used = nameProxies(proxies)
    return { ready: reasons.length === 0, reasons, version, ...(used && { proxies: used }) }
  }
}

/** A server that answered within this time counts as reached. A poll of Telegram takes up to 45 s. */
const LATELY_MS = 60_000
/** How long no answer has come before a request is made only to find out. */
const QUIET_MS = 50_000
const RETRY_MS = 5_000

/** Knows whether an outside server answered lately, and asks it if no other part does. */
export function createReach({
  ask,
  clock = systemClock,
}: {
  ask: (signal: AbortSignal) => Promise<unknown>
  clock?: Pick<Clock, 'now' | 'sleep'>
}) {
  const stopping = new AbortController()
  const { signal } = stopping
  let answeredMs = Number.NEGATIVE_INFINITY
  return {
    recordAnswer: () => {
      answeredMs = clock.now()
    },
    isReached: () => clock.now() - answeredMs < LATELY_MS,
    start: () => void keepAsking(),
    stop: () => stopping.abort(),
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

function watchLoop(clock: Pick<Clock, 'now' | 'sleep'>) {
  const stopping = new AbortController()
  let turnedMs = clock.now()
  let blockedMs = Number.NEGATIVE_INFINITY
  void turn()
  return { check, stop: () => stopping.abort() }

  async function turn(): Promise<void> {
    while (!stopping.signal.aborted) {
      // `stop()` aborts the wait, which is no error.
      await clock.sleep(TURN_MS, stopping.signal).catch(() => {})
      if (isLate()) blockedMs = clock.now()
      turnedMs = clock.now()
    }
  }

  function isLate(): boolean {
    return clock.now() - turnedMs > TURN_MS + LATE_MS_MAX
  }

  function check(): string | undefined {
    const isBlocked = isLate() || clock.now() - blockedMs < BLOCKED_REPORT_MS
    return isBlocked ? 'the event loop stood still' : undefined
  }
}
