import type { Clock } from '../telegram/clock.ts'
import { createFairLine } from './fair-line.ts'
import { createRoom, type Sent } from './room.ts'

/** Thrown to who waits for a turn that was taken out of the line: the service was not asked. */
export class LeftLineError extends Error {
  override readonly name = 'LeftLineError'
  readonly code = 'left_line'

  constructor() {
    super('Cannot ask the service: the turn left the line')
  }
}

/** How a turn that waits stands. */
export interface Standing {
  /** 1 for the next. */
  place: number
  /** About how long it still waits, if nothing changes. */
  waitMs: number
}

/** One turn and the request that it has to make. */
export interface Ticket {
  /**
   * Resolves when the request may go; after a refusal, when it may go again.
   *
   * @throws {LeftLineError} If the turn left.
   * @throws The signal's reason if it aborted.
   */
  letThrough(): Promise<void>
  /** The request was not refused. */
  accepted(): void
  /** The service had no room for it: the turn goes back to where it stood. */
  refused(retryAfterMs: number | undefined): void
  /** The request failed before it came to the service's limit. */
  uncounted(): void
  /**
   * Takes the turn out: its request is not made, or not made again.
   *
   * @returns Whether it waited. One that did not may have been asked.
   */
  leave(): boolean
  /** Undefined while it does not wait. */
  standing(): Standing | undefined
}

/** What the line tells a ticket. */
interface Waiter {
  go(): void
  fail(reason: unknown): void
}

export interface TurnLineDeps {
  clock: Clock
  /** Ends every wait. */
  signal: AbortSignal
}

/** Where turns wait until the service has room for them: fair by user, for one process. */
export function createTurnLine({ clock, signal }: TurnLineDeps) {
  const room = createRoom(clock.now())
  const line = createFairLine<Waiter>()
  let alarm = new AbortController()
  signal.addEventListener('abort', close, { once: true })
  return { join, size: line.size }

  function join(userId: bigint): Ticket {
    let gate = closedGate()
    let sent: Sent | undefined
    let hasLeft = false
    const entry = line.add(userId, { go, fail: (reason) => gate.reject(reason) })
    advance()
    return { letThrough: () => gate.promise, accepted, refused, uncounted, leave, standing }

    function go(): void {
      sent = room.send(clock.now())
      gate.resolve()
    }

    function accepted(): void {
      if (sent !== undefined) room.accept(sent)
      advance()
    }

    function refused(retryAfterMs: number | undefined): void {
      if (sent !== undefined) room.refuse(sent, clock.now(), retryAfterMs)
      gate = closedGate()
      if (hasLeft) gate.reject(new LeftLineError())
      else line.putBack(entry)
      advance()
    }

    function uncounted(): void {
      if (sent !== undefined) room.forget(sent)
      advance()
    }

    function leave(): boolean {
      hasLeft = true
      const hasWaited = line.remove(entry)
      if (hasWaited) gate.reject(new LeftLineError())
      return hasWaited
    }

    function standing(): Standing | undefined {
      const place = line.placeOf(entry)
      if (place === undefined) return undefined
      const now = clock.now()
      return { place, waitMs: room.opensFor(place, now) - now }
    }
  }

  /** Lets through as many as there is room for. */
  function advance(): void {
    if (signal.aborted) close()
    while (line.size() > 0) {
      const now = clock.now()
      const delayMs = room.opensAt(now) - now
      if (delayMs > 0) {
        advanceIn(delayMs)
        return
      }
      line.take()?.item.go()
    }
  }

  function advanceIn(delayMs: number): void {
    alarm.abort()
    alarm = new AbortController()
    // Another alarm, or none, is what the sleep is aborted for.
    clock.sleep(delayMs, alarm.signal).then(advance, () => {})
  }

  function close(): void {
    alarm.abort()
    for (let next = line.take(); next !== undefined; next = line.take()) {
      next.item.fail(signal.reason)
    }
  }
}

function closedGate(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>()
  // Who stands before it hears of it; until then it must not count as unheard.
  gate.promise.catch(() => {})
  return gate
}
