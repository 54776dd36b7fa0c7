import type { MethodDeps } from '../api/methods/method.ts'
import type { Changes, PlaygroundChange } from '../updates/changes.ts'
import { encode } from './encode.ts'
import type { FileJournal } from './file-journal.ts'
import { findUpdateChanges } from './find-update-changes.ts'
import { createNoteChanges, type NoteValues } from './note-changes.ts'
import { createRecordChanges } from './record-changes.ts'
import type { Store, StoreWrites } from './store.ts'

/** What of a playground outlives its process. */
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
 * Messages, chats and people are looked at when somebody has told of a change in them; of the rest it sees by itself
 * what is another than before.
 */
export function createKeeper(deps: {
  store: Store
  parts: KeptParts
  journal: FileJournal
  changes: Changes
  /** Told of a write that failed where no answer waits for it. */
  onTrouble: (error: unknown) => void
}) {
  const { store, parts, journal, changes, onTrouble } = deps
  const { world, queue } = parts
  const messages = new Map<number, Set<number>>()
  /** People, and chats: a private one has the id of its person. */
  const touched = new Set<number>()
  const records = createRecordChanges(world)
  const noteChanges = createNoteChanges()
  let updateIds: readonly number[] = queue.all().map(({ update }) => update.update_id)
  let isClosed = false
  let soon: NodeJS.Immediate | undefined
  const unsubscribe = changes.subscribe(onChange)
  flush()
  return { flush, close }

  /** Also a call that only begins may have changed something: a poll takes updates, and waits. */
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
    const notes = noteChanges.find(valuesOf(parts))
    const changed = records.find(touched)
    const updates = findUpdateChanges(queue.all(), updateIds, parts.clock)
    const writes: StoreWrites = {
      notes: [...notes.writes, ...changed.writes],
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
    notes.commit()
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
function valuesOf(parts: KeptParts): NoteValues {
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
