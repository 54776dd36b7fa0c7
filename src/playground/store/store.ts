import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PlaygroundRefusedError } from '../refused.ts'
import { BOT_ID, makeToken } from '../world/bot.ts'
import type { FileFolder } from '../world/files.ts'
import { openFileFolder } from './file-folder.ts'

const PRIVATE = 0o700
const PRIVATE_FILE = 0o600
/** SQLite's own words: another process has the database; its pages, or its beginning, are not those of one. */
const BUSY = 5
const DAMAGED = [11, 26]
/** Older ones than that are forgotten at a start. */
const FILE_IDS_MAX = 50_000

/** The version of the schema; a store of another version is not read. */
const VERSION = 1

/**
 * Everything is JSON under the key that it is found by. `notes` has all that is small: people, chats, the bot's
 * commands and texts, counters. Rows of files are in the order in which they came.
 */
const SCHEMA = `
create table notes (
  kind text not null,
  key text not null,
  value text not null,
  primary key (kind, key)
) strict;

create table messages (
  chat_id integer not null,
  message_id integer not null,
  value text not null,
  primary key (chat_id, message_id)
) strict;

create table updates (
  update_id integer primary key,
  expires_at integer not null,
  value text not null
) strict;

create table files (
  number integer primary key,
  unique_id text not null unique,
  value text not null
) strict;

create table file_ids (
  number integer primary key,
  file_id text not null unique,
  unique_id text not null
) strict;
`

export interface StoredValue {
  kind: string
  key: string
  value: string
}

export interface StoredRow {
  chatId: number
  messageId: number
  value: string
}

export interface StoredUpdate {
  updateId: number
  /** Unix time in milliseconds. */
  expiresAt: number
  value: string
}

/** Rows that are written all together or not at all. One without a value is removed. */
export interface StoreWrites {
  values: readonly (Omit<StoredValue, 'value'> & { value: string | undefined })[]
  messages: readonly (Omit<StoredRow, 'value'> & { value: string | undefined })[]
  updates: readonly StoredUpdate[]
  takenUpdateIds: readonly number[]
  files: readonly { uniqueId: string; value: string }[]
  fileIds: readonly { fileId: string; uniqueId: string }[]
}

/** The store of a playground: one SQLite file, and a folder with the bytes of files. */
export type Store = ReturnType<typeof openStore>

export interface StoreOptions {
  folder: string
  /** The token of a real bot, which is not written down. */
  token?: string | undefined
  /** The id of the bot if there is no token. A token is made for it, and kept. */
  freeBotId?: number | undefined
}

/**
 * Opens what is kept of one bot's playground, or begins it. The process has it alone, until it closes it or ends.
 *
 * @throws {PlaygroundRefusedError} If another process has it, another version wrote it, or it is damaged. What is read
 *   later throws it, too.
 */
export function openStore({ folder, token: given, freeBotId = BOT_ID }: StoreOptions) {
  mkdirSync(folder, { recursive: true, mode: PRIVATE })
  const botId = Number(given?.split(':')[0] ?? freeBotId)
  const path = join(folder, `${botId}.sqlite`)
  const filesFolder = join(folder, `${botId}-files`)
  // The folder is made after the file was written: before that, an empty file is a start that was killed.
  if (existsSync(filesFolder)) refuseEmpty(path)
  // It holds the token, and all messages. SQLite's file beside it gets the same mode.
  closeSync(openSync(path, 'a', PRIVATE_FILE))
  chmodSync(path, PRIVATE_FILE)
  const database = nameDamage(path, () => openDatabase(path))
  const statements = prepare(database)
  const token = given ?? keepToken(database, botId)
  const uniqueIds = new Set(
    rows<{ id: string }>('select unique_id as id from files').map(({ id }) => id),
  )
  const files: FileFolder = openFileFolder(filesFolder, (id) => uniqueIds.has(id))
  return {
    token,
    files,
    readValues,
    readMessages,
    readUpdates,
    readFiles,
    readFileIds,
    write,
    close,
  }

  function readValues() {
    return rows<StoredValue>('select kind, key, value from notes')
  }

  /** Reads messages in the order in which they were sent. */
  function readMessages() {
    return rows<StoredRow>(
      'select chat_id as "chatId", message_id as "messageId", value from messages order by 1, 2',
    )
  }

  function readUpdates() {
    return rows<StoredUpdate>(
      'select update_id as "updateId", expires_at as "expiresAt", value from updates order by 1',
    )
  }

  function readFiles() {
    return rows<{ uniqueId: string; value: string }>(
      'select unique_id as "uniqueId", value from files order by number',
    )
  }

  function readFileIds() {
    return rows<{ fileId: string; uniqueId: string }>(
      'select file_id as "fileId", unique_id as "uniqueId" from file_ids order by number',
    )
  }

  function write({ values, messages, updates, takenUpdateIds, files, fileIds }: StoreWrites): void {
    database.exec('begin')
    try {
      for (const { kind, key, value } of values) {
        if (value === undefined) statements.removeValue.run(kind, key)
        else statements.putValue.run(kind, key, value)
      }
      for (const { uniqueId, value } of files) statements.putFile.run(uniqueId, value)
      for (const { fileId, uniqueId } of fileIds) statements.putFileId.run(fileId, uniqueId)
      for (const { chatId, messageId, value } of messages) {
        if (value === undefined) statements.removeMessage.run(chatId, messageId)
        else statements.putMessage.run(chatId, messageId, value)
      }
      for (const { updateId, expiresAt, value } of updates) {
        statements.putUpdate.run(updateId, expiresAt, value)
      }
      for (const updateId of takenUpdateIds) statements.removeUpdate.run(updateId)
      database.exec('commit')
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }

  function close(): void {
    database.close()
  }

  /** The columns are named as the fields of their type. */
  function rows<Row>(sql: string): Row[] {
    return nameDamage(path, () => database.prepare(sql).all() as Row[])
  }
}

/** @throws {PlaygroundRefusedError} If a file is there and has nothing in it. */
function refuseEmpty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return
  throw new PlaygroundRefusedError(describeDamage(path, 'is empty, and was not when it was left'))
}

/** @throws {PlaygroundRefusedError} With the path, where SQLite finds the file damaged. */
function nameDamage<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const { errcode = 0, errstr } = error as { errcode?: number; errstr?: string }
    // An extended code has the word itself in its lowest byte.
    if (!DAMAGED.includes(errcode & 0xff)) throw error
    throw new PlaygroundRefusedError(describeDamage(path, `is damaged: ${errstr}`))
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  try {
    // A commit is in the system's hands when it returns: it outlives the process, however that ends.
    database.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal',
    )
    const { user_version: version } = database.prepare('pragma user_version').get() ?? {}
    if (version === 0) {
      database.exec(`begin immediate; ${SCHEMA} pragma user_version = ${VERSION}; commit`)
    } else if (version !== VERSION) throw new PlaygroundRefusedError(describeOther(path))
    // Has the lock from here on, also where there is nothing to write yet.
    database.exec(`begin immediate; ${FORGET_FILE_IDS}; commit`)
    return database
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== BUSY) throw error
    throw new PlaygroundRefusedError(
      `Cannot start: the playground "${path}" is in use by another process`,
    )
  }
}

const FORGET_FILE_IDS = `delete from file_ids where number <= (select max(number) from file_ids) - ${FILE_IDS_MAX}`

function describeDamage(path: string, damage: string): string {
  return `Cannot start: the playground "${path}" ${damage}. Put a copy of it there, or remove it to begin a new one`
}

function describeOther(path: string): string {
  return `Cannot start: the playground "${path}" is of another version of Kopeck. Move it away to begin a new one`
}

function prepare(database: DatabaseSync) {
  return {
    putValue: database.prepare('insert or replace into notes (kind, key, value) values (?, ?, ?)'),
    removeValue: database.prepare('delete from notes where kind = ? and key = ?'),
    putMessage: database.prepare(
      `insert into messages (chat_id, message_id, value) values (?, ?, ?)
       on conflict (chat_id, message_id) do update set value = excluded.value`,
    ),
    removeMessage: database.prepare('delete from messages where chat_id = ? and message_id = ?'),
    putUpdate: database.prepare(
      'insert into updates (update_id, expires_at, value) values (?, ?, ?)',
    ),
    removeUpdate: database.prepare('delete from updates where update_id = ?'),
    putFile: database.prepare(
      `insert into files (unique_id, value) values (?, ?)
       on conflict (unique_id) do update set value = excluded.value`,
    ),
    putFileId: database.prepare('insert into file_ids (file_id, unique_id) values (?, ?)'),
  }
}

/** Made once, so that a bot that was given it goes on after a restart. */
function keepToken(database: DatabaseSync, botId: number): string {
  const token = makeToken(botId)
  database
    .prepare("insert or ignore into notes (kind, key, value) values ('token', '', ?)")
    .run(token)
  const kept = database.prepare("select value from notes where kind = 'token'").get()
  return String(kept?.value)
}
