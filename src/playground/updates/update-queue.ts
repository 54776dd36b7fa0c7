import { API_CONSTANTS } from 'grammy'
import type { Update } from 'grammy/types'
import type { Clock } from '../../platform/time/clock.ts'

const QUEUE_MAX = 100_000
const UPDATE_IDS_FROM = 410_000_000
/** An offset further past the end than this is taken for a mistake and confirms nothing. */
const OFFSET_SLACK = 10
/** The size of the updates in one answer, which has at least one. */
const ANSWER_CHARS_MAX = 4 * 1024 * 1024

export type UpdateContent = Omit<Update, 'update_id'>
export type UpdateKind = keyof UpdateContent

const { ALL_UPDATE_TYPES, DEFAULT_UPDATE_TYPES } = API_CONSTANTS

/** How long a callback query is kept, and everything else. */
const QUERY_MS = 150_000
const DAY_MS = 86_400_000

/** An update that is kept until that instant. */
export interface WaitingUpdate {
  update: Update
  expiresAt: number
}

/** The earlier state of a playground that continues. */
export interface KeptQueue {
  nextId: number
  /** Undefined for Telegram's default. */
  allowed: readonly UpdateKind[] | undefined
  waiting: readonly WaitingUpdate[]
}

/** Updates not yet confirmed by an offset, with the set of kinds the bot asked for. */
export function createUpdateQueue({
  clock,
  idsFrom,
  kept,
}: {
  clock: Clock
  idsFrom: number
  kept?: KeptQueue | undefined
}) {
  let queue = [...(kept?.waiting ?? [])]
  let nextId = kept?.nextId ?? UPDATE_IDS_FROM + idsFrom
  let allowed: readonly UpdateKind[] = kept?.allowed ?? DEFAULT_UPDATE_TYPES
  const listeners: (() => void)[] = []
  return {
    enqueue,
    allow,
    take,
    dropAll,
    waiting: alive,
    /** Every update in the order of ids, with those that have expired since the last look. */
    all: (): readonly WaitingUpdate[] => queue,
    isAllowed: (kind: UpdateKind) => allowed.includes(kind),
    remove,
    nextId: () => nextId,
    /** Calls the listener as soon as there is an update. */
    listen: (listener: () => void) => {
      listeners.push(listener)
    },
    /** `undefined` while the set is Telegram's default. */
    allowedIfNotDefault: () => (allowed === DEFAULT_UPDATE_TYPES ? undefined : allowed),
  }

  /** Queues an update, unless the bot did not ask for its kind: that one is gone without an id. */
  function enqueue(content: UpdateContent): void {
    const kind = ALL_UPDATE_TYPES.find((known) => content[known] !== undefined)
    if (kind === undefined || !allowed.includes(kind) || queue.length >= QUEUE_MAX) return
    const update: Update = { update_id: nextId++, ...content }
    const keptMs = kind === 'callback_query' ? QUERY_MS : DAY_MS
    queue.push({ update, expiresAt: clock.now() + keptMs })
    for (const listener of listeners) listener()
  }

  /** Takes over `allowed_updates`; anything but an array of strings leaves the set as it is. */
  function allow(kinds: unknown): void {
    if (!Array.isArray(kinds) || kinds.some((kind) => typeof kind !== 'string')) return
    const named = kinds.map((kind) => kind.toLowerCase())
    const known = ALL_UPDATE_TYPES.filter((kind) => named.includes(kind))
    const isDefault = known.length === 0 || known.join() === DEFAULT_UPDATE_TYPES.join()
    allowed = isDefault ? DEFAULT_UPDATE_TYPES : known
  }

  /** Forgets what the offset confirms and returns what comes next. */
  function take(offset: number, limit: number): Update[] {
    const updates = alive()
    if (offset < 0) queue = updates.slice(offset)
    else if (offset > 0 && offset <= nextId + OFFSET_SLACK) {
      queue = updates.filter(({ update }) => update.update_id >= offset)
    }
    return withinAnswer(alive().slice(0, limit)).map(({ update }) => update)
  }

  function alive(): readonly WaitingUpdate[] {
    const now = clock.now()
    queue = queue.filter(({ expiresAt }) => now < expiresAt)
    return queue
  }

  /** Forgets one update, anywhere in the queue. */
  function remove(updateId: number): void {
    queue = queue.filter(({ update }) => update.update_id !== updateId)
  }

  function dropAll(): void {
    queue = []
  }
}

export type UpdateQueue = ReturnType<typeof createUpdateQueue>

/** The first updates, as many as one answer holds. */
function withinAnswer(updates: readonly WaitingUpdate[]): readonly WaitingUpdate[] {
  let chars = 0
  const excess = updates.findIndex(({ update }, index) => {
    chars += JSON.stringify(update).length
    return index > 0 && chars > ANSWER_CHARS_MAX
  })
  return excess < 0 ? updates : updates.slice(0, excess)
}
