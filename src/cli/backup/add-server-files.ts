/**
 * Copies the files of a running embedded server into a backup, by SQL on one connection.
 *
 * The server writes on while its files are read, so they may grow, shrink, vanish or be half of an old and half of a new
 * version. Invariant: the backup has all WAL from the start of the copy to its end, and `backup_label` names that start: a
 * server on the copy replays it and then has all that was committed until the end.
 *
 * @see https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type pg from 'pg'
import type { BackupWriter } from './backup-file.ts'

/** Folders that a server needs and whose content belongs to the server that runs. */
const EMPTIED = new Set(['pg_wal', 'pg_replslot'])
const LOCK_FILES = new Set(['postmaster.pid', 'postmaster.opts'])
const ZEROS = Buffer.alloc(65_536)

/**
 * Adds the files as `postgres/…`.
 *
 * @param client A superuser's. Its session is in backup mode until this resolves.
 * @param folder The server's data directory.
 * @throws If the server has tablespaces: their files are elsewhere.
 */
export async function addServerFiles(
  writer: BackupWriter,
  { client, folder }: { client: pg.Client; folder: string },
): Promise<void> {
  // The slot keeps WAL until the session ends, whatever the checkpoints of that time.
  await client.query(
    `SELECT pg_create_physical_replication_slot('kopeck_' || pg_backend_pid(), true, true)`,
  )
  const { rows: begun } = await client.query<{ wal: string }>(
    `SELECT pg_walfile_name(pg_backup_start('kopeck', true)) AS wal`,
  )
  await addFolder(writer, { folder, below: '' })
  const { rows: ended } = await client.query<{ wal: string; label: string }>(
    'SELECT pg_walfile_name(lsn) AS wal, labelfile AS label FROM pg_backup_stop(true)',
  )
  const [first = '', last = ''] = [begun[0]?.wal, ended[0]?.wal]
  for (const name of (await readdir(join(folder, 'pg_wal'))).sort()) {
    if (name.length === first.length && name >= first && name <= last)
      await addFile(writer, { folder, path: `pg_wal/${name}` })
  }
  await writer.addText('postgres/backup_label', ended[0]?.label ?? '')
}

async function addFolder(
  writer: BackupWriter,
  { folder, below }: { folder: string; below: string },
): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(unlessMissing)
  for (const entry of entries ?? []) {
    const path = posix.join(below, entry.name)
    if (entry.isSymbolicLink()) throw new Error('Cannot back up: the server has tablespaces')
    if (entry.isFile() && !LOCK_FILES.has(path)) await addFile(writer, { folder, path })
    if (!entry.isDirectory()) continue
    const name = `postgres/${path}`
    await writer.add({ name, size: 0, mode: 0o700, mtime: new Date(), type: 'directory' }, [])
    if (!EMPTIED.has(path)) await addFolder(writer, { folder, below: path })
  }
}

async function addFile(
  writer: BackupWriter,
  { folder, path }: { folder: string; path: string },
): Promise<void> {
  const handle = await open(join(folder, path)).catch(unlessMissing)
  if (handle === undefined) return
  try {
    const { size, mtime } = await handle.stat()
    const entry = { name: `postgres/${path}`, size, mtime, mode: 0o600, type: 'file' } as const
    await writer.add(entry, readExactly(handle, size))
  } finally {
    await handle.close()
  }
}

/** Yields so many bytes of a file, whether it grows or shrinks meanwhile. The replay of WAL makes its end right. */
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

export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
