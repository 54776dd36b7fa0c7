import type { MenuButton, Update } from 'grammy/types'
import type { Clock } from '../../platform/time/clock.ts'
import type { CommandList } from '../methods/method.ts'
import type { KeptQueue, UpdateKind } from '../updates/update-queue.ts'
import type { WebhookSettings } from '../updates/webhook-settings.ts'
import type { StoredFile } from '../world/files.ts'
import type { StoredMessage } from '../world/message.ts'
import type { KeptWorld, Person, StoredChat } from '../world/world.ts'
import { decode } from './encode.ts'
import type { Store, StoredValue } from './store.ts'

/** A chat without its messages and its passing state. */
export type ChatRecord = Omit<StoredChat, 'messages' | 'action' | 'lastIncomingAt'>

/** A file without its bytes. */
export interface FileRecord extends Omit<StoredFile, 'bytes' | 'path'> {
  isDropped: boolean
}

/** The state that a playground continues. Everything but the files is undefined in a new one. */
export interface KeptState {
  world: KeptWorld | undefined
  queue: KeptQueue | undefined
  queryCount: number | undefined
  webhook: WebhookSettings | undefined
  commandLists: Map<string, CommandList>
  menuButtons: Map<number, MenuButton>
  profile: Map<string, string>
  files: { files: StoredFile[]; fileIds: [string, StoredFile][] }
}

/** Reads all that a store has. */
export function readKept(store: Store, clock: Clock): KeptState {
  const files = readFiles(store)
  const fileOf = (uniqueId: string): StoredFile => {
    const file = files.get(uniqueId)
    if (file === undefined) throw new Error(`Cannot read playground: it has no file ${uniqueId}`)
    return file
  }
  const byKind = Map.groupBy(store.readValues(), ({ kind }) => kind)
  const counters = valuesOf<string, number>('counter')
  const mailboxId = counters.get('mailbox')
  const nextUpdateId = counters.get('update')
  return {
    world:
      mailboxId === undefined ? undefined : { mailboxId, people: readPeople(), chats: readChats() },
    queue: nextUpdateId === undefined ? undefined : readQueue(nextUpdateId),
    queryCount: counters.get('query'),
    webhook: valuesOf<string, WebhookSettings>('webhook').get('settings'),
    commandLists: valuesOf('commandLists'),
    menuButtons: valuesOf('menuButtons'),
    profile: valuesOf('profile'),
    files: {
      files: [...files.values()],
      fileIds: store.readFileIds().map(({ fileId, uniqueId }) => [fileId, fileOf(uniqueId)]),
    },
  }

  function valuesOf<Key, Value>(kind: string): Map<Key, Value> {
    const toEntry = ({ key, value }: StoredValue): [Key, Value] => [
      JSON.parse(key),
      decode(value, fileOf) as Value,
    ]
    return new Map(byKind.get(kind)?.map(toEntry))
  }

  function readPeople(): Map<number, Person> {
    // As they were made: in the store they stand as they changed, and the page is the first one's.
    const people = valuesOf<number, Person>('person')
    return new Map([...people].toSorted(([one], [other]) => one - other))
  }

  function readChats(): Map<number, StoredChat> {
    const chats = new Map<number, StoredChat>()
    for (const [id, record] of valuesOf<number, ChatRecord>('chat')) {
      chats.set(id, { ...record, lastIncomingAt: Number.NEGATIVE_INFINITY, messages: new Map() })
    }
    for (const { chatId, messageId, value } of store.readMessages()) {
      chats.get(chatId)?.messages.set(messageId, decode(value, fileOf) as StoredMessage)
    }
    return chats
  }

  function readQueue(nextId: number): KeptQueue {
    const toClock = clock.now() - clock.date().getTime()
    return {
      nextId,
      allowed: valuesOf<string, UpdateKind[]>('updates').get('allowed'),
      waiting: store.readUpdates().map(({ expiresAt, value }) => ({
        update: JSON.parse(value) as Update,
        expiresAt: expiresAt + toClock,
      })),
    }
  }
}

function readFiles(store: Store): Map<string, StoredFile> {
  const files = new Map<string, StoredFile>()
  for (const { uniqueId, value } of store.readFiles()) {
    const { isDropped, ...file } = JSON.parse(value) as FileRecord
    const path = isDropped ? undefined : store.files.pathOf(uniqueId)
    files.set(uniqueId, { ...file, bytes: undefined, path })
  }
  return files
}
