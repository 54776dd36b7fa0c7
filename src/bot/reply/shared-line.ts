import { createFairLine } from './fair-line.ts'
import { createRoom, type RoomState } from './room.ts'

/** A turn that waits for the service, or was let through a moment ago. */
export interface LineEntry {
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
export interface LineState {
  room: Readonly<RoomState>
  /** How many places in the round were given out. */
  places: number
  entries: readonly LineEntry[]
}

/** What happened to a turn of one process. */
export type LineChange =
  /** The process begins. */
  | { type: 'begin' }
  | { type: 'join'; entry: LineEntry }
  /** It went out at once, since there was no limit. */
  | { type: 'send'; entry: LineEntry }
  | { type: 'accept'; id: string }
  | { type: 'refuse'; entry: LineEntry; retryAfterMs: number | undefined; isWanted: boolean }
  /** It left, or its request never came to the limit. */
  | { type: 'remove'; id: string }

/** How a turn that waits stands. */
export interface Standing {
  /** 1 for the next. */
  place: number
  /** About how long it still waits, if nothing changes. */
  waitMs: number
}

export interface SharedLine {
  /** Safe to repeat: nobody may know whether a step was stored when its connection broke. */
  change(change: LineChange): void
  /** Lets through as many as there is room for. */
  advance(): void
  isLimited(): boolean
  /** The instant from which the next may go. */
  opensAt(): number
  /** How many wait. */
  size(): number
  /** Undefined for what does not wait. */
  standing(id: string, now: number): Standing | undefined
  state(): LineState
}

/**
 * The line and the room of all processes as they stood at one instant, and what becomes of them. A
 * line is opened, changed and stored as one step; nothing here waits for anything.
 */
export function openSharedLine(
  { room: known, places, entries }: LineState,
  now: number,
): SharedLine {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const sent = entries.flatMap(({ id, sentAt: at, isOpen }) =>
    at === undefined ? [] : [{ id, at, isOpen }],
  )
  const room = createRoom(known, sent, now)
  const waiting = entries.filter(({ sentAt }) => sentAt === undefined)
  const line = createFairLine<LineEntry>(waiting, places)
  return {
    change,
    advance,
    isLimited: () => Number.isFinite(room.state().limit),
    opensAt: () => room.opensAt(now),
    size: line.size,
    standing,
    state,
  }

  function change(next: LineChange): void {
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
        if (line.placeOf(next.entry.id) !== undefined) break
        room.refuse(next.entry.id, now, next.retryAfterMs)
        if (next.isWanted) putBack(next.entry)
        break
      case 'remove':
        line.remove(next.id)
        room.forget(next.id)
    }
  }

  /** As it stood when it was let through, which may have been by another process. */
  function putBack(entry: LineEntry): void {
    const back = { ...(byId.get(entry.id) ?? entry), sentAt: undefined, isOpen: true }
    byId.set(entry.id, back)
    line.putBack(back)
  }

  function advance(): void {
    while (line.size() > 0 && room.opensAt(now) <= now) {
      const next = line.take()
      if (next !== undefined) send(next)
    }
  }

  function send(entry: LineEntry): void {
    byId.set(entry.id, entry)
    room.send(entry.id, now)
  }

  function standing(id: string, at: number): Standing | undefined {
    const place = line.placeOf(id)
    return place === undefined ? undefined : { place, waitMs: room.opensFor(place, at) - at }
  }

  function state(): LineState {
    const out = room.log().flatMap(({ id, at, isOpen }) => {
      const entry = byId.get(id)
      return entry === undefined ? [] : [{ ...entry, sentAt: at, isOpen }]
    })
    return { room: room.state(), places: line.places(), entries: [...line.all(), ...out] }
  }
}
