/**
 * `kopeck backup`: copies the files of a running embedded server, by SQL on one connection, and the media.
 *
 * The server writes while its files are read, so a file may grow, shrink, vanish or be half old and half new.
 * Invariant: the backup has all WAL from the start of the copy to its end, and `backup_label` names that start: a server
 * on the copy replays it and then has everything that was committed before the end.
 *
 * @see https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
import {
  type FileHandle,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, join, posix, resolve, sep } from 'node:path'
import type { Command } from 'commander'
import pg from 'pg'
import { findDataDir } from '../platform/database/data-dir.ts'
import { connectionOptions } from '../platform/database/database.ts'
import { joinDatabase } from '../platform/database/embedded.ts'
import { readBuildInfo } from '../platform/installation.ts'
import { BackupWriter, readBackup, sync } from './backup-file.ts'
import { writeJson } from './output.ts'
import { type CommandContext, createProgram, unlessMissing } from './program.ts'

/** Folders that a server needs and whose content belongs to the running server. */
const EMPTIED = new Set(['pg_wal', 'pg_replslot'])
const LOCK_FILES = new Set(['postmaster.pid', 'postmaster.opts'])
const ZEROS = Buffer.alloc(65_536)

const OWN_SERVER =
  'DATABASE_URL names a PostgreSQL of your own: back it up with pg_dump --format=custom --file=FILE "$DATABASE_URL", and copy DATA_DIR/media after that (docs/backup.md)'

export function createBackupProgram({ env, print, ...help }: CommandContext): Command {
  return createProgram(help)
    .argument('<FILE>', 'new file; an existing file is never overwritten')
    .option('--no-media', 'without the results of creations')
    .option('--json', 'one line of JSON')
    .action(run)

  async function run(name: string, { media, json }: { media: boolean; json?: true }) {
    if (env.DATABASE_URL) throw new Error(OWN_SERVER)
    const file = resolve(env.INIT_CWD ?? '', name)
    // After a signal no half backup is left.
    const stopping = new AbortController()
    const abort = () => stopping.abort(new Error('The backup was broken off: there is none'))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort)
    const { url, stop } = await joinDatabase(env)
    try {
      const options = { url, dataDir: findDataDir(env), file, withMedia: media }
      const { bytes, mediaFiles } = await takeBackup({ ...options, signal: stopping.signal })
      if (json) return print(writeJson({ file, bytes, media_files: mediaFiles }))
      const size = `${(bytes / 1_000_000).toFixed(1)} MB`
      const files = media
        ? `${mediaFiles} media files`
        : 'no media: DATA_DIR/media is not part of it'
      print(`Backed up to ${file}, and read again: ${size} with the database and ${files}.`)
    } finally {
      await stop()
    }
  }
}

interface BackupOptions {
  url: string
  dataDir: string
  file: string
  withMedia: boolean
  signal: AbortSignal
}

/**
 * Backs up a running embedded database and the media to one file. The file has another name until it is complete, on the
 * disk and read again.
 *
 * @throws If the file exists already. Nothing is overwritten.
 */
export async function takeBackup({ url, dataDir, file, withMedia, signal }: BackupOptions) {
  const partial = `${file}.partial`
  await refuseExisting(file)
  for (const part of ['media', 'postgres']) await refuseBelow(join(dataDir, part), file)
  const handle = await openNew(partial)
  const client = new pg.Client(connectionOptions(url, 'backup'))
  // A query on a broken connection fails with the same error.
  client.on('error', () => {})
  try {
    await client.connect()
    const { version: kopeck } = await readBuildInfo()
    const { rows } = await client.query('SHOW server_version_num')
    const writer = new BackupWriter(handle, signal)
    const postgres = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
    await writer.addInfo({ kopeck, postgres })
    await writer.addText('postgres.password', await readFile(join(dataDir, 'postgres.password')))
    await addServerFiles(writer, client, join(dataDir, 'postgres'))
    // The files that the copied database names exist by now.
    const mediaFiles = withMedia ? await addMedia(writer, join(dataDir, 'media')) : 0
    await writer.end()
    await readBackup(partial)
    signal.throwIfAborted()
    const { size: bytes } = await stat(partial)
    await refuseExisting(file)
    await rename(partial, file)
    return { bytes, mediaFiles }
  } catch (error) {
    signal.throwIfAborted()
    const { syscall, message } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new Error(`Cannot back up to "${file}": ${message}`, { cause: error })
  } finally {
    await client.end()
    await handle.close().catch(() => {})
    await rm(partial, { force: true })
    await sync(dirname(file))
  }
}

async function refuseExisting(file: string): Promise<void> {
  if ((await stat(file).catch(unlessMissing)) === undefined) return
  throw new Error(`Cannot back up: "${file}" is there already`)
}

/** Compares real paths: both may contain links. */
async function refuseBelow(folder: string, file: string): Promise<void> {
  const [above, below] = await Promise.all(
    [folder, dirname(file)].map((path) => realpath(path).catch(unlessMissing)),
  )
  if (above === undefined || !`${below}${sep}`.startsWith(`${above}${sep}`)) return
  throw new Error(
    'Cannot back up: FILE is in a folder that is backed up, and would have to hold itself; name another place',
  )
}

async function openNew(partial: string): Promise<FileHandle> {
  return await open(partial, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EEXIST') throw new Error(`Cannot back up: "${partial}" cannot be made (${code})`)
    const what = 'is there; another backup writes it, or was cut off: then remove it'
    throw new Error(`Cannot back up: "${partial}" ${what}`)
  })
}

/** Adds the files as `postgres/…`. The session is in backup mode until this resolves. */
async function addServerFiles(writer: BackupWriter, client: pg.Client, folder: string) {
  // The slot retains WAL until the session ends, whatever checkpoints happen.
  await client.query(
    `SELECT pg_create_physical_replication_slot('kopeck_' || pg_backend_pid(), true, true)`,
  )
  const { rows: begun } = await client.query<{ wal: string }>(
    `SELECT pg_walfile_name(pg_backup_start('kopeck', true)) AS wal`,
  )
  await addFolder(writer, folder, '')
  const { rows: ended } = await client.query<{ wal: string; label: string }>(
    'SELECT pg_walfile_name(lsn) AS wal, labelfile AS label FROM pg_backup_stop(true)',
  )
  const [first = '', last = ''] = [begun[0]?.wal, ended[0]?.wal]
  const names = (await readdir(join(folder, 'pg_wal'))).filter(
    (name) => name.length === first.length && name >= first && name <= last,
  )
  for (const name of names.sort()) {
    await addFile(writer, join(folder, 'pg_wal', name), `postgres/pg_wal/${name}`)
  }
  await writer.addText('postgres/backup_label', ended[0]?.label ?? '')
}

async function addFolder(writer: BackupWriter, folder: string, below: string): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(unlessMissing)
  for (const entry of entries ?? []) {
    const path = posix.join(below, entry.name)
    if (entry.isSymbolicLink()) throw new Error('Cannot back up: the server has tablespaces')
    if (entry.isFile() && !LOCK_FILES.has(path)) {
      await addFile(writer, join(folder, path), `postgres/${path}`)
    }
    if (!entry.isDirectory()) continue
    await writer.addFolder(`postgres/${path}`)
    if (!EMPTIED.has(path)) await addFolder(writer, folder, path)
  }
}

/** Skips names that begin with a dot: those files are still being written. Returns how many it added. */
async function addMedia(writer: BackupWriter, folder: string): Promise<number> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessMissing)) ?? []
  let files = 0
  for (const { name } of entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))) {
    files += await addFile(writer, join(folder, name), `media/${name}`)
  }
  return files
}

/** Returns 0 for a file that was removed meanwhile, else 1. */
async function addFile(writer: BackupWriter, path: string, name: string): Promise<0 | 1> {
  const handle = await open(path).catch(unlessMissing)
  if (handle === undefined) return 0
  try {
    const stats = await handle.stat()
    await writer.addFile(name, stats, readExactly(handle, stats.size))
    return 1
  } finally {
    await handle.close()
  }
}

/** Yields `size` bytes of a file, even if it grows or shrinks meanwhile. The replay of WAL corrects its end. */
async function* readExactly(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  if (size > 0) {
    const stream = handle.createReadStream({ start: 0, end: size - 1, autoClose: false })
    for await (const piece of stream) {
      left -= piece.length
      yield piece
    }
  }
  for (; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left)
}
