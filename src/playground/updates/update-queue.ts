import { API_CONSTANTS } from 'grammy'
import type { Update } from 'grammy/types'
import type { Clock } from '../../platform/time/clock.ts'
import type { State, UpdateContent, WaitingUpdate } from '../state.ts'

const QUEUE_MAX = 100_000
/** An offset further past the end than this is taken for a mistake and confirms nothing. */
const OFFSET_SLACK = 10

const { ALL_UPDATE_TYPES, DEFAULT_UPDATE_TYPES } = API_CONSTANTS

const QUERY_MS = 150_000
const DAY_MS = 86_400_000

/** Updates not yet confirmed by an offset, with the set of kinds the bot asked for. */
export function createUpdateQueue({ clock, state }: { clock: Clock; state: State }) {
  const listeners: (() => void)[] = []
  return {
    enqueue,
    allow,
    take,
    dropAll,
    waiting: alive,
    remove,
    listen: (listener: () => void) => {
      listeners.push(listener)
    },
  }

  /** Queues an update, unless the bot did not ask for its kind: that one is gone without an id. */
  function enqueue(content: UpdateContent): void {
    const kind = ALL_UPDATE_TYPES.find((known) => content[known] !== undefined)
    const { allowedUpdates = DEFAULT_UPDATE_TYPES, waiting } = state
    if (kind === undefined || !allowedUpdates.includes(kind) || waiting.length >= QUEUE_MAX) return
    const update: Update = { update_id: state.nextUpdateId++, ...content }
    const keptMs = kind === 'callback_query' ? QUERY_MS : DAY_MS
    waiting.push({ update, expiresAt: clock.date().getTime() + keptMs })
    for (const listener of listeners) listener()
  }

  /** Takes over `allowed_updates`; anything but an array of strings leaves the set as it is. */
  function allow(kinds: unknown): void {
    if (!Array.isArray(kinds) || kinds.some((kind) => typeof kind !== 'string')) return
    const named = kinds.map((kind) => kind.toLowerCase())
    const known = ALL_UPDATE_TYPES.filter((kind) => named.includes(kind))
    const isDefault = known.length === 0 || known.join() === DEFAULT_UPDATE_TYPES.join()
    state.allowedUpdates = isDefault ? undefined : known
  }

  function take(offset: number, limit: number): Update[] {
    const updates = alive()
    if (offset < 0) state.waiting = updates.slice(offset)
    else if (offset > 0 && offset <= state.nextUpdateId + OFFSET_SLACK) {
      state.waiting = updates.filter(({ update }) => update.update_id >= offset)
    }
    return alive()
      .slice(0, limit)
      .map(({ update }) => update)
  }

  function alive(): WaitingUpdate[] {
    const now = clock.date().getTime()
    state.waiting = state.waiting.filter(({ expiresAt }) => now < expiresAt)
    return state.waiting
  }

  function remove(updateId: number): void {
    state.waiting = state.waiting.filter(({ update }) => update.update_id !== updateId)
  }

  function dropAll(): void {
    state.waiting = []
  }
}

export type UpdateQueue = ReturnType<typeof createUpdateQueue>
