import type { MediaKind } from '../../../contract/tasks.ts'
import type { Clock } from '../../../platform/time/clock.ts'

/** After this a service that had no such endpoint is asked again. */
const CLOSED_MS = 15 * 60_000

/**
 * The kinds that the service does not make: it did not know their endpoint.
 *
 * Each process finds it out by itself, and forgets it when it ends: an order that is refused costs nothing.
 */
export function createClosedKinds({ clock }: { clock: Pick<Clock, 'now'> }) {
  const closedUntil = new Map<MediaKind, number>()
  return { close, isClosed }

  function close(kind: MediaKind): void {
    closedUntil.set(kind, clock.now() + CLOSED_MS)
  }

  function isClosed(kind: MediaKind): boolean {
    return clock.now() < (closedUntil.get(kind) ?? 0)
  }
}

export type ClosedKinds = ReturnType<typeof createClosedKinds>
