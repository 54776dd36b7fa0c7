import type { StoredChat, World } from '../world/world.ts'
import { encode } from './encode.ts'
import type { StoreWrites } from './store.ts'

/** Finds what has changed in chats and people, which stay the same objects when they change. */
export function createRecordChanges({ chats, people }: Pick<World, 'chats' | 'people'>) {
  /** As they were written last, by kind and id. */
  const written = new Map<string, string>()
  return { find }

  /**
   * @param ids Of chats and people to look at; any that are none are passed over.
   * @returns `commit` is to be called when they have been written.
   */
  function find(ids: Iterable<number>): { writes: StoreWrites['notes']; commit: () => void } {
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
