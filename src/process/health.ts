import { type Clock, systemClock } from '../platform/time/clock.ts'
import { type NamedProxies, nameProxies, type ProcessProxies } from './process-proxies.ts'

/** Checks something that the process needs for its work. @returns The problem with it, if there is one. */
export type HealthCheck = () => string | undefined

export interface HealthReport {
  ready: boolean
  reasons: string[]
  version: string
  proxies?: NamedProxies | undefined
}

export type Health = ReturnType<typeof createHealth>

const TURN_MS = 1_000
const LATE_MS_MAX = 2_000
/** How long a halt is reported after it: during the halt nothing is. */
const BLOCKED_REPORT_MS = 5_000
const STARTING: readonly HealthCheck[] = [() => 'the process is starting']

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

  /** Makes the process ready as long as these checks find nothing. Call the result when the roles end. */
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
    return { ready: reasons.length === 0, reasons, version, proxies: nameProxies(proxies) }
  }
}

function watchLoop(clock: Pick<Clock, 'now' | 'sleep'>) {
  let turnedMs = clock.now()
  let blockedMs = Number.NEGATIVE_INFINITY
  const isLate = () => clock.now() - turnedMs > TURN_MS + LATE_MS_MAX
  const stop = repeat(clock, async (sleep) => {
    await sleep(TURN_MS)
    if (isLate()) blockedMs = clock.now()
    turnedMs = clock.now()
  })
  return { check, stop }

  function check(): string | undefined {
    const isBlocked = isLate() || clock.now() - blockedMs < BLOCKED_REPORT_MS
    return isBlocked ? 'the event loop stood still' : undefined
  }
}

/** A server that answered within this time counts as reached. A poll of Telegram takes up to 45 s. */
const LATELY_MS = 60_000
/** How long no answer has come before a request is made only to find out. */
const QUIET_MS = 50_000
const RETRY_MS = 5_000

/** Knows whether an outside server answered lately, and asks it from `start()` on if no other part does. */
export function createReach({
  ask,
  clock = systemClock,
}: {
  ask: (signal: AbortSignal) => Promise<unknown>
  clock?: Pick<Clock, 'now' | 'sleep'>
}) {
  let answeredMs = Number.NEGATIVE_INFINITY
  const quietMs = () => clock.now() - answeredMs
  return {
    recordAnswer: () => {
      answeredMs = clock.now()
    },
    isReached: () => quietMs() < LATELY_MS,
    start: () =>
      repeat(clock, async (sleep, signal) => {
        // A failure needs no record: the time of the last answer stays as it is.
        if (quietMs() >= QUIET_MS) await ask(signal).catch(() => {})
        await sleep(Math.max(RETRY_MS, QUIET_MS - quietMs()))
      }),
  }
}

type Step = (sleep: (ms: number) => Promise<void>, signal: AbortSignal) => Promise<void>

function repeat(clock: Pick<Clock, 'sleep'>, step: Step): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  const sleep = (ms: number) => clock.sleep(ms, signal).catch(() => {})
  const run = async () => {
    while (!signal.aborted) await step(sleep, signal)
  }
  void run()
  return () => stopping.abort()
}
