import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { MenuButton } from 'grammy/types'
import type { Clock } from '../platform/time/clock.ts'
import type { CommandList, MethodDeps } from './methods/method.ts'
import type { Changes } from './updates/changes.ts'
import type { KeptQueue, WaitingUpdate } from './updates/update-queue.ts'
import type { WebhookSettings } from './updates/webhook.ts'
import { BOT_ID, makeToken } from './world/bot.ts'
import type { FileFolder, StoredFile } from './world/files.ts'
import type { KeptWorld, Person, StoredChat } from './world/world.ts'

const PRIVATE = 0o700
const PRIVATE_FILE = 0o600
const VERSION = 1
const WRITE_AFTER_MS = 2_000
/**
 * Ids of messages, updates and callback queries skip so many at a start: a crash may have lost the last seconds, and a
 * bot takes an id that it knows for the same update.
 */
const IDS_SKIPPED = 1_000

/** The state of a playground, as it is written. Instants are Unix time in milliseconds. */
interface Snapshot {
  version: number
  token: string
  mailboxId: number
  queryCount: number
  nextUpdateId: number
  allowed: KeptQueue['allowed']
  waiting: WaitingUpdate[]
  webhook: WebhookSettings | undefined
  commandLists: Map<string, CommandList>
  menuButtons: Map<number, MenuButton>
  profile: Map<string, string>
  people: Map<number, Person>
  chats: Map<number, StoredChat>
  fileIds: [string, StoredFile][]
}

/** The state that a playground continues; undefined in a new one. */
export interface Kept {
  world: KeptWorld
  queue: KeptQueue
  queryCount: number
  webhook: WebhookSettings | undefined
  commandLists: Map<string, CommandList>
  menuButtons: Map<number, MenuButton>
  profile: Map<string, string>
  files: { files: StoredFile[]; fileIds: [string, StoredFile][] }
}

/** The parts of a playground that outlive its process. */
type KeptParts = Pick<
  MethodDeps,
  | 'world'
  | 'queue'
  | 'webhook'
  | 'callbackQueries'
  | 'commandLists'
  | 'menuButtons'
  | 'profile'
  | 'files'
  | 'clock'
>

export interface StoreOptions {
  folder: string
  /** The token of a real bot, which is not written down. */
  token?: string | undefined
  /** The id of the bot if there is no token. A token is made for it, and kept. */
  freeBotId?: number | undefined
  /** Logs that a damaged snapshot is replaced. */
  log: (line: string) => void
}

/**
 * Opens the store of one bot's playground: a JSON snapshot, and a folder with the bytes of files. A damaged
 * snapshot counts as none.
 */
export function openStore({ folder, token: given, freeBotId = BOT_ID, log }: StoreOptions) {
  mkdirSync(folder, { recursive: true, mode: PRIVATE })
  const botId = Number(given?.split(':')[0] ?? freeBotId)
  const path = join(folder, `${botId}.json`)
  const filesFolder = join(folder, `${botId}-files`)
  const decoded = readSnapshot()
  const snapshot = decoded?.snapshot
  const files = openFileFolder(filesFolder, (id) => decoded?.files.has(id) ?? false)
  const token = given ?? (snapshot?.token || makeToken(botId))
  return { token, files, read, isNew: snapshot === undefined, keep }

  function readSnapshot(): Decoded | undefined {
    if (!existsSync(path)) return undefined
    try {
      const found = decode(readFileSync(path, 'utf8'), (id) => join(filesFolder, id))
      if (found.snapshot.version === VERSION) return found
      log(`The playground begins anew: "${path}" is of another version`)
    } catch (error) {
      log(`The playground begins anew: "${path}" is damaged (${(error as Error).message})`)
    }
    return undefined
  }

  function read(clock: Clock): Kept | undefined {
    if (decoded === undefined || snapshot === undefined) return undefined
    const toClock = clock.now() - clock.date().getTime()
    const { mailboxId, people, chats, nextUpdateId, allowed, waiting, queryCount } = snapshot
    for (const chat of chats.values()) {
      chat.lastIncomingAt = Number.NEGATIVE_INFINITY
      if (chat.lastMessageId !== undefined) chat.lastMessageId += IDS_SKIPPED
    }
    const { fileIds, webhook, commandLists, menuButtons, profile } = snapshot
    return {
      world: { mailboxId: mailboxId + IDS_SKIPPED, people, chats },
      queue: {
        nextId: nextUpdateId + IDS_SKIPPED,
        allowed,
        waiting: waiting.map((one) => ({ ...one, expiresAt: one.expiresAt + toClock })),
      },
      queryCount: queryCount + IDS_SKIPPED,
      webhook,
      commandLists,
      menuButtons,
      profile,
      files: { files: [...decoded.files.values()], fileIds },
    }
  }

  /**
   * Writes the state some seconds after a change, until `close()`, which writes it at once.
   *
   * @param onTrouble Reports a write that failed; the next change tries again.
   */
  function keep(
    parts: KeptParts,
    { changes, onTrouble }: { changes: Changes; onTrouble: (error: unknown) => void },
  ): { close(): void } {
    let timer: NodeJS.Timeout | undefined
    const stored = () => encode(toSnapshot(parts, given === undefined ? token : ''))
    let written = snapshot === undefined ? '' : stored()
    const unsubscribe = changes.subscribe(() => {
      timer ??= setTimeout(writeLater, WRITE_AFTER_MS)
    })
    return {
      close() {
        unsubscribe()
        clearTimeout(timer)
        write()
      },
    }

    function writeLater(): void {
      timer = undefined
      try {
        write()
      } catch (error) {
        onTrouble(error)
      }
    }

    function write(): void {
      const text = stored()
      if (text === written) return
      // A reader finds the old state or the new one, never a part.
      writeFileSync(`${path}.new`, text, { mode: PRIVATE_FILE })
      renameSync(`${path}.new`, path)
      written = text
    }
  }
}

export type Store = ReturnType<typeof openStore>

function toSnapshot(parts: KeptParts, token: string): Snapshot {
  const { world, queue, webhook, callbackQueries, files, clock } = parts
  const toDate = clock.date().getTime() - clock.now()
  return {
    version: VERSION,
    token,
    mailboxId: world.mailboxId(),
    queryCount: callbackQueries.count(),
    nextUpdateId: queue.nextId(),
    allowed: queue.allowedIfNotDefault(),
    waiting: queue.waiting().map(({ update, expiresAt }) => ({
      update,
      expiresAt: Math.round(expiresAt + toDate),
    })),
    webhook: webhook.settings(),
    commandLists: parts.commandLists,
    menuButtons: parts.menuButtons,
    profile: parts.profile,
    people: world.people,
    chats: new Map(
      Array.from(world.chats, ([id, { action: _fades, ...chat }]) => [
        id,
        { ...chat, lastIncomingAt: 0 },
      ]),
    ),
    fileIds: files.fileIds(),
  }
}

/** Values that JSON lacks become objects with one of these names. Files are listed once and referred to by id. */
const MAP = '@map'
const SET = '@set'
const FILE = '@file'

function encode(snapshot: Snapshot): string {
  const files = new Map<string, object>()
  const text = JSON.stringify(snapshot, (_name, field: unknown) => {
    if (field instanceof Map) return { [MAP]: [...field] }
    if (field instanceof Set) return { [SET]: [...field] }
    if (!isFile(field)) return field
    const { bytes: _own, path: _known, ...facts } = field
    files.set(field.uniqueId, facts)
    return { [FILE]: field.uniqueId }
  })
  return `${JSON.stringify([...files.values()])}\n${text}\n`
}

interface Decoded {
  snapshot: Snapshot
  files: Map<string, StoredFile>
}

/** @throws For anything that `encode()` did not write. */
function decode(text: string, pathOf: (uniqueId: string) => string): Decoded {
  const [listed = '', state = ''] = text.split('\n')
  const files = new Map(
    (JSON.parse(listed) as StoredFile[]).map((facts): [string, StoredFile] => {
      const path = pathOf(facts.uniqueId)
      return [
        facts.uniqueId,
        { ...facts, bytes: undefined, path: existsSync(path) ? path : undefined },
      ]
    }),
  )
  const snapshot = JSON.parse(state, (_name, field: unknown) => {
    if (typeof field !== 'object' || field === null) return field
    if (MAP in field) return new Map(field[MAP] as [unknown, unknown][])
    if (SET in field) return new Set(field[SET] as unknown[])
    return FILE in field ? files.get(field[FILE] as string) : field
  }) as Snapshot
  return { snapshot, files }
}

function isFile(field: unknown): field is StoredFile {
  return typeof field === 'object' && field !== null && 'uniqueId' in field && 'mime' in field
}

/**
 * Opens the folder that holds the bytes of files, each under its unique id. Inside is `incoming`, for files on their
 * way, which is empty after a start.
 *
 * @param isKnown Checks by its id whether a file belongs to the playground; other files are left from a crash.
 */
function openFileFolder(folder: string, isKnown: (uniqueId: string) => boolean): FileFolder {
  const incoming = join(folder, 'incoming')
  rmSync(incoming, { recursive: true, force: true })
  mkdirSync(incoming, { recursive: true, mode: PRIVATE })
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && !isKnown(entry.name)) rmSync(join(folder, entry.name))
  }
  return { incoming, pathOf, write, takeOver, remove }

  function pathOf(uniqueId: string): string {
    return join(folder, uniqueId)
  }

  function write(uniqueId: string, bytes: Buffer): string {
    writeFileSync(pathOf(uniqueId), bytes, { mode: PRIVATE_FILE })
    return pathOf(uniqueId)
  }

  function takeOver(uniqueId: string, path: string): string {
    renameSync(path, pathOf(uniqueId))
    return pathOf(uniqueId)
  }

  function remove(path: string): void {
    rmSync(path, { force: true })
  }
}
