import { createFairQueue } from './fair-queue.ts'
import { createRateLimit, type RateLimitState } from './rate-limit.ts'

/** A turn that waits for the service, or was let through a moment ago. */
export interface QueueEntry {
  readonly id: string
  readonly turnId: bigint
  readonly userId: bigint
  /** The process that runs the turn. */
  readonly instanceId: number
  /** Its user's place in the round. */
  readonly place: number
  /** Undefined while it waits. */
  readonly sentAt: number | undefined
  /** The service has not answered yet. */
  readonly isOpen: boolean
}

/** All that the processes of a bot know together. */
export interface QueueState {
  room: Readonly<RateLimitState>
  /** How many places in the round were given out. */
  places: number
  entries: readonly QueueEntry[]
}

/** What happened to a turn of one process. */
export type QueueChange =
  /** The process begins. */
  | { type: 'begin' }
  | { type: 'join'; entry: QueueEntry }
  /** It went out at once, since there was no limit. */
  | { type: 'send'; entry: QueueEntry }
  | { type: 'accept'; id: string }
  | { type: 'refuse'; entry: QueueEntry; retryAfterMs: number | undefined; isWanted: boolean }
  /** It left, or its request never came to the limit. */
  | { type: 'remove'; id: string }

/** How a turn that waits stands. */
export interface QueuePosition {
  /** 1 for the next. */
  place: number
  /** About how long it still waits, if nothing changes. */
  waitMs: number
}

export interface SharedQueue {
  /** Safe to repeat: nobody may know whether a step was stored when its connection broke. */
  change(change: QueueChange): void
  /** Lets through as many as there is room for. */
  advance(): void
  isLimited(): boolean
  /** The instant from which the next may go. */
  nextSlotAt(): number
  /** How many wait. */
  size(): number
  /** Undefined for what does not wait. */
  standing(id: string, now: number): QueuePosition | undefined
  state(): QueueState
}

/**
 * The line and the room of all processes as they stood at one instant, and what becomes of them. A
 * line is opened, changed and stored as one step; nothing here waits for anything.
 */
export function openSharedQueue(
  { room: known, places, entries }: QueueState,
  now: number,
): SharedQueue {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const sent = entries.flatMap(({ id, sentAt: at, isOpen }) =>
    at === undefined ? [] : [{ id, at, isOpen }],
  )
  const room = createRateLimit(known, sent, now)
  const waiting = entries.filter(({ sentAt }) => sentAt === undefined)
  const line = createFairQueue<QueueEntry>(waiting, places)
  return {
    change,
    advance,
    isLimited: () => Number.isFinite(room.state().limit),
    nextSlotAt: () => room.nextSlotAt(now),
    size: line.size,
    standing,
    state,
  }

  function change(next: QueueChange): void {
    switch (next.type) {
      case 'begin':
        room.begin(now)
        break
      case 'join':
        if (byId.has(next.entry.id)) break
        byId.set(next.entry.id, next.entry)
        line.add(next.entry)
        break
      case 'send':
        if (!byId.has(next.entry.id)) send(next.entry)
        break
      case 'accept':
        room.accept(next.id)
        break
      case 'refuse':
        if (line.positionOf(next.entry.id) !== undefined) break
        room.refuse(next.entry.id, now, next.retryAfterMs)
        if (next.isWanted) putBack(next.entry)
        break
      case 'remove':
        line.remove(next.id)
        room.forget(next.id)
    }
  }

  /** As it stood when it was let through, which may have been by another process. */
  function putBack(entry: QueueEntry): void {
    const back = { ...(byId.get(entry.id) ?? entry), sentAt: undefined, isOpen: true }
    byId.set(entry.id, back)
    line.putBack(back)
  }

  function advance(): void {
    while (line.size() > 0 && room.nextSlotAt(now) <= now) {
      const next = line.take()
      if (next !== undefined) send(next)
    }
  }

  function send(entry: QueueEntry): void {
    byId.set(entry.id, entry)
    room.send(entry.id, now)
  }

  function standing(id: string, at: number): QueuePosition | undefined {
    const place = line.positionOf(id)
    return place === undefined ? undefined : { place, waitMs: room.slotFor(place, at) - at }
  }

  function state(): QueueState {
    const out = room.log().flatMap(({ id, at, isOpen }) => {
      const entry = byId.get(id)
      return entry === undefined ? [] : [{ ...entry, sentAt: at, isOpen }]
    })
    return { room: room.state(), places: line.places(), entries: [...line.all(), ...out] }
  }
}
