import type { Clock } from '../../time/clock.ts'
import type { Ticket } from '../queue/service-queue.ts'
import type { QueuePosition } from '../queue/shared-queue.ts'

/** A wait that is over sooner needs no words. */
const UNTOLD_MS_MAX = 3_000
/** The refusals of a burst come one by one; a moment later the places are right. */
const FIRST_MS = 1_000
const INTERVAL_MS = 5_000
/** In a long line no more than ten messages change in a second. */
const INTERVAL_MS_PER_TURN = 100

export interface QueueNoticeDeps {
  ticket: Pick<Ticket, 'isWaiting' | 'standing'>
  onPosition: (standing: QueuePosition) => void
  /** How many wait in all. */
  queueSize: () => number
  clock: Clock
}

/** Tells how a turn stands in the line, at a calm pace, if it waits for more than a moment. */
export function tellQueuePosition({ ticket, onPosition, queueSize, clock }: QueueNoticeDeps) {
  const joinedAt = clock.now()
  let isTold = false
  let nextAt = joinedAt
  let ended = new AbortController()
  resume()
  return { pause, resume, isTold: () => isTold }

  function pause(): void {
    ended.abort()
  }

  function resume(): void {
    ended = new AbortController()
    void tell(ended.signal)
  }

  async function tell(signal: AbortSignal): Promise<void> {
    nextAt = Math.max(nextAt, clock.now() + FIRST_MS)
    while (ticket.isWaiting()) {
      // A pause is what the sleep is aborted for.
      await clock.sleep(nextAt - clock.now(), signal).catch(() => {})
      if (signal.aborted) return
      const standing = ticket.standing()
      nextAt = clock.now() + FIRST_MS
      if (standing === undefined) continue
      isTold ||= clock.now() - joinedAt + standing.waitMs > UNTOLD_MS_MAX
      if (isTold) onPosition(standing)
      nextAt = clock.now() + Math.max(INTERVAL_MS, queueSize() * INTERVAL_MS_PER_TURN)
    }
  }
}
