import type { Clock } from '../../time/clock.ts'
import type { QueuePosition, Ticket } from './service-queue.ts'

/** A wait that is over sooner needs no words. */
const UNTOLD_MS_MAX = 3_000
/** What a burst queues is stored step by step; a moment later the positions are right. */
const FIRST_MS = 1_000
const INTERVAL_MS = 5_000
/** In a long queue no more than ten messages change in a second. */
const INTERVAL_MS_PER_ENTRY = 100

export interface TellPositionDeps {
  ticket: Pick<Ticket, 'isWaiting' | 'position'>
  onPosition: (position: QueuePosition) => void
  /** How many wait in all. */
  queueSize: () => number
  clock: Clock
}

/** Tells a ticket's position as it changes, at a calm pace, if it waits for more than a moment. */
export function tellPosition({ ticket, onPosition, queueSize, clock }: TellPositionDeps) {
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
      const position = ticket.position()
      nextAt = clock.now() + FIRST_MS
      if (position === undefined) continue
      isTold ||= clock.now() - joinedAt + position.waitMs > UNTOLD_MS_MAX
      if (isTold) onPosition(position)
      nextAt = clock.now() + Math.max(INTERVAL_MS, queueSize() * INTERVAL_MS_PER_ENTRY)
    }
  }
}
