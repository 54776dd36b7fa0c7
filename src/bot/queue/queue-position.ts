import type { Clock } from '../../platform/time/clock.ts'
import type { TextVariables } from '../locales/texts.ts'

/** A wait that is over sooner is not reported. */
const UNREPORTED_MS_MAX = 3_000
/** A burst is stored step by step; a moment later the positions are right. */
const FIRST_MS = 1_000
const INTERVAL_MS = 5_000
/** No more than ten messages change in a second, however long the queue. */
const INTERVAL_MS_PER_ENTRY = 100

/** The position in the queue, and the wait as far as it is known. */
export interface QueuePosition {
  position: number
  waitMs: number
  isAway: boolean
}

export interface ReportPositionDeps {
  position: () => QueuePosition | undefined
  onPosition: (position: QueuePosition) => void
  queueSize: () => number
  clock: Clock
}

/**
 * Reports a position as it changes, from `resume()` to `pause()`: at a calm pace, if the wait is more
 * than a moment.
 */
export function reportPosition({ position, onPosition, queueSize, clock }: ReportPositionDeps) {
  const joinedAt = clock.now()
  let isReported = false
  let nextAt = joinedAt
  let ended = new AbortController()
  return { pause, resume }

  function pause(): void {
    ended.abort()
  }

  function resume(): void {
    ended = new AbortController()
    void report(ended.signal)
  }

  async function report(signal: AbortSignal): Promise<void> {
    nextAt = Math.max(nextAt, clock.now() + FIRST_MS)
    for (;;) {
      // `pause()` aborts the sleep.
      await clock.sleep(nextAt - clock.now(), signal).catch(() => {})
      if (signal.aborted) return
      const current = position()
      nextAt = clock.now() + FIRST_MS
      if (current === undefined) continue
      isReported ||= clock.now() - joinedAt + current.waitMs > UNREPORTED_MS_MAX
      if (isReported) onPosition(current)
      nextAt = clock.now() + Math.max(INTERVAL_MS, queueSize() * INTERVAL_MS_PER_ENTRY)
    }
  }
}

/** A wait is shown in steps of so long, and from a minute on in minutes. */
const STEP_MS = 10_000
const MINUTE_MS = 60_000

/** About how long a wait is, in words. */
export function waitText(
  waitMs: number,
  t: (key: string, variables: TextVariables) => string,
): string {
  const roundedMs = Math.max(Math.ceil(waitMs / STEP_MS), 1) * STEP_MS
  if (roundedMs < MINUTE_MS) return t('wait-seconds', { count: roundedMs / 1000 })
  return t('wait-minutes', { count: Math.max(Math.round(waitMs / MINUTE_MS), 1) })
}
