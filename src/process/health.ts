import { type Clock, systemClock } from '../platform/time/clock.ts'

/** Something that the process cannot do its work without. @returns What is wrong with it, if anything. */
export type HealthCheck = () => string | undefined

/** What `GET /healthz` answers with. */
export interface HealthReport {
  ready: boolean
  /** Why not, each in one sentence. */
  reasons: string[]
}

export type Health = ReturnType<typeof createHealth>

const TURN_MS = 1_000
/** The event loop may stand still for so long. */
const LATE_MS_MAX = 2_000
/** When it stood still longer that is told for so long: while it stands still nothing is. */
const BLOCKED_TOLD_MS = 5_000

const STARTING: readonly HealthCheck[] = [() => 'the process is starting']

/**
 * Whether the process can do its work just now: its roles run, and what they need is there. Asking
 * costs nothing: all of it is known before.
 */
export function createHealth({
  isStopping,
  clock = systemClock,
}: {
  isStopping: () => boolean
  clock?: Pick<Clock, 'now' | 'sleep'>
}) {
  let checks = STARTING
  return { begin, report }

  /**
   * Says that the roles run, as long as these checks find nothing.
   *
   * @returns To be called when the roles end.
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
    if (isStopping()) return { ready: false, reasons: ['the process is stopping'] }
    const reasons = checks.map((check) => check()).filter((reason) => reason !== undefined)
    return { ready: reasons.length === 0, reasons }
  }
}

/** Finds out whether the event loop turned all the time. */
function watchLoop(clock: Pick<Clock, 'now' | 'sleep'>) {
  const stopping = new AbortController()
  let turnedMs = clock.now()
  let blockedMs = Number.NEGATIVE_INFINITY
  void turn()
  return { check, stop: () => stopping.abort() }

  async function turn(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Stopping is what the wait is aborted for.
      await clock.sleep(TURN_MS, stopping.signal).catch(() => {})
      if (isLate()) blockedMs = clock.now()
      turnedMs = clock.now()
    }
  }

  function isLate(): boolean {
    return clock.now() - turnedMs > TURN_MS + LATE_MS_MAX
  }

  function check(): string | undefined {
    const isBlocked = isLate() || clock.now() - blockedMs < BLOCKED_TOLD_MS
    return isBlocked ? 'the event loop stood still' : undefined
  }
}
