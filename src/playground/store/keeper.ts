import type { MethodDeps } from '../methods/method.ts'
import type { Changes, PlaygroundChange } from '../updates/changes.ts'
import type { StoredChat, World } from '../world/world.ts'
import { encode } from './encode.ts'
import type { FileJournal } from './file-journal.ts'
import { findUpdateChanges } from './find-update-changes.ts'
import type { Store, StoreWrites } from './store.ts'

/** The parts of a playground that outlive its process. */
export type KeptParts = Pick<
  MethodDeps,
  | 'world'
  | 'queue'
  | 'webhook'
  | 'callbackQueries'
  | 'commandLists'
  | 'menuButtons'
  | 'profile'
  | 'clock'
>

/**
 * Writes what has changed in a playground to its store, in one transaction: what is answered to the bot or to a
 * person after `flush()` is there after a crash, with all that came of it.
 *
 * Messages, chats and people are compared when a change of them was emitted; the rest is compared at every flush.
 */
export function createKeeper(deps: {
  store: Store
  parts: KeptParts
  journal: FileJournal
  changes: Changes
  /** Reports a write that failed where no answer waits for it. */
  onTrouble: (error: unknown) => void
}) {
  const { store, parts, journal, changes, onTrouble } = deps
  const { world, queue } = parts
  const messages = new Map<number, Set<number>>()
  /** People, and chats: a private one has the id of its person. */
  const touched = new Set<number>()
  const records = createRecordChanges(world)
  const valueChanges = createValueChanges()
  let updateIds: readonly number[] = queue.all().map(({ update }) => update.update_id)
  let isClosed = false
  let soon: NodeJS.Immediate | undefined
  const unsubscribe = changes.subscribe(onChange)
  flush()
  return { flush, close }

  /** Every call may have changed something, even one that only begins: a poll takes updates, and waits. */
  function onChange(change: PlaygroundChange): void {
    if ('messageId' in change) {
      const ids = messages.get(change.chatId) ?? new Set()
      messages.set(change.chatId, ids.add(change.messageId))
    }
    if ('chatId' in change) touched.add(change.chatId)
    if ('userId' in change) touched.add(change.userId)
    soon ??= setImmediate(flushInTheBackground)
  }

  function flushInTheBackground(): void {
    try {
      flush()
    } catch (error) {
      onTrouble(error)
    }
  }

  /**
   * @param chatId Of a chat that may have changed without a word.
   * @throws What SQLite says. Then nothing is written, and the next flush tries it all again.
   */
  function flush(chatId?: number): void {
    clearImmediate(soon)
    soon = undefined
    if (chatId !== undefined) touched.add(chatId)
    const values = valueChanges.find(valuesOf(parts))
    const changed = records.find(touched)
    const updates = findUpdateChanges(queue.all(), updateIds, parts.clock)
    const writes: StoreWrites = {
      values: [...values.writes, ...changed.writes],
      messages: [...messages].flatMap(([chatId, ids]) => {
        const known = world.chats.get(chatId)?.messages
        return [...ids].map((messageId) => ({
          chatId,
          messageId,
          value: textOf(known?.get(messageId)),
        }))
      }),
      updates: updates.added,
      takenUpdateIds: updates.taken,
      ...journal.read(),
    }
    if (Object.values(writes).some(({ length }) => length > 0)) store.write(writes)
    values.commit()
    changed.commit()
    updateIds = updates.ids
    journal.clear()
    messages.clear()
    touched.clear()
  }

  /** Writes what is left. */
  function close(): void {
    if (isClosed) return
    isClosed = true
    unsubscribe()
    flush()
    store.close()
  }
}

/** All that is small. */
function valuesOf(parts: KeptParts): Values {
  const { world, queue, webhook, callbackQueries, commandLists, menuButtons, profile } = parts
  return {
    counter: new Map([
      ['mailbox', world.mailboxId()],
      ['update', queue.nextId()],
      ['query', callbackQueries.count()],
    ]),
    webhook: only('settings', webhook.settings()),
    updates: only('allowed', queue.allowedIfNotDefault()),
    commandLists,
    menuButtons,
    profile,
  }
}

function only(key: string, value: unknown): ReadonlyMap<string, unknown> {
  return new Map(value === undefined ? [] : [[key, value]])
}

function textOf(value: object | undefined): string | undefined {
  return value && encode(value)
}

/** Values by their kind and key. One that changes is another value, not the same one with other fields. */
type Values = Readonly<Record<string, ReadonlyMap<string | number, unknown>>>

/** Finds which values are others than those that were written last. */
function createValueChanges() {
  let written: Values = {}
  return { find }

  /** @returns `commit` is to be called when they have been written. */
  function find(values: Values): { writes: StoreWrites['values']; commit: () => void } {
    const writes = Object.entries(values).flatMap(([kind, now]) => {
      const before = written[kind] ?? new Map()
      return [
        ...[...now].filter(([key, value]) => before.get(key) !== value),
        ...[...before.keys()]
          .filter((key) => !now.has(key))
          .map((key) => [key, undefined] as const),
      ].map(([key, value]) => ({
        kind,
        key: JSON.stringify(key),
        value: value === undefined ? undefined : encode(value),
      }))
    })
    const copies = Object.entries(values).map(([kind, now]) => [kind, new Map(now)])
    return { writes, commit: () => (written = Object.fromEntries(copies)) }
  }
}

/** Finds what has changed in chats and people, which stay the same objects when they change. */
function createRecordChanges({ chats, people }: Pick<World, 'chats' | 'people'>) {
  /** The records as they were written last, by kind and id. */
  const written = new Map<string, string>()
  return { find }

  /**
   * @param ids Of chats and people to look at; any that are none are passed over.
   * @returns `commit` is to be called when they have been written.
   */
  function find(ids: Iterable<number>): { writes: StoreWrites['values']; commit: () => void } {
    const writes = [...ids].flatMap((id) => [
      ...changeOf('person', id, people.get(id)),
      ...changeOf('chat', id, toRecord(chats.get(id))),
    ])
    return {
      writes,
      commit: () => {
        for (const { kind, key, value } of writes) written.set(`${kind} ${key}`, value)
      },
    }
  }

  function changeOf(kind: string, id: number, value: object | undefined) {
    if (value === undefined) return []
    const change = { kind, key: JSON.stringify(id), value: encode(value) }
    return written.get(`${kind} ${id}`) === change.value ? [] : [change]
  }
}

function toRecord(chat: StoredChat | undefined): object | undefined {
  if (chat === undefined) return undefined
  const { messages: _own, action: _fades, lastIncomingAt: _clock, ...record } = chat
  return record
}
