import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { claimDataDir } from '../../platform/database/data-dir.ts'
import { RESTORING } from '../../platform/database/embedded/data-cluster.ts'
import { DataDirInUseError } from '../../platform/database/embedded/embedded.ts'
import {
  findPostgresBinaries,
  type PostgresBinaries,
} from '../../platform/database/embedded/postgres-binaries.ts'
import {
  type BackupEntry,
  type BackupInfo,
  BackupRefusedError,
  readBackup,
  readBackupInfo,
  sync,
} from './backup-file.ts'

const SYNCS_AT_ONCE = 32

/** Entries that an empty folder may have: a claim's files, a restore that was cut off, a disk's own folder. */
const NOTHING = new Set(['instance', 'postgres.lock', RESTORING, 'lost+found'])

/**
 * Makes an empty DATA_DIR what it was when a backup was taken. Nothing is written before the whole file
 * has been read and found good; a start in a folder whose restore did not end is refused.
 *
 * @throws {BackupRefusedError} If the file is not whole, or of another major version of PostgreSQL.
 * @throws {DataDirInUseError} If a running Kopeck has the folder.
 */
export async function restoreBackup(file: string, folder: string): Promise<BackupInfo> {
  const dataDir = resolve(folder)
  await refuseFull(dataDir)
  const binaries = await findPostgresBinaries(dataDir)
  const info = await readBackupInfo(file)
  const { postgres } = info
  if (postgres !== binaries.majorVersion) {
    throw new BackupRefusedError(
      file,
      `it is of PostgreSQL ${postgres} and was made by Kopeck ${info.kopeck}, and this Kopeck has ${binaries.majorVersion}; restore it with a Kopeck that has ${postgres} (docs/backup.md)`,
    )
  }
  await readBackup(file)
  const claim = await claimDataDir(dataDir, ['postgres'])
  if (claim === undefined) throw new DataDirInUseError(dataDir)
  try {
    // Another process may have used the folder while the file was read.
    await refuseFull(dataDir)
    await extractInto(dataDir, { file, binaries })
    return info
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new Error(`Cannot restore into "${dataDir}": ${message}`, { cause: error })
  } finally {
    await claim.release()
  }
}

async function refuseFull(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const found = names.filter((name) => !NOTHING.has(name))
  if (found.length === 0) return
  throw new Error(`Cannot restore: DATA_DIR "${dataDir}" is not empty; name an empty or new folder`)
}

async function extractInto(
  dataDir: string,
  { file, binaries }: { file: string; binaries: PostgresBinaries },
): Promise<void> {
  const restoring = join(dataDir, RESTORING)
  await rm(restoring, { recursive: true, force: true })
  await mkdir(join(restoring, 'postgres'), { recursive: true, mode: 0o700 })
  await binaries.adopt(join(restoring, 'postgres'))
  const written = ['', 'postgres', 'media']
  await mkdir(join(restoring, 'media'), { mode: 0o700 })
  await readBackup(file, write)
  await syncAll(written.map((name) => join(restoring, name)))
  // The server's files come last: until they are there, and nothing is restored any more, none starts.
  for (const name of (await readdir(restoring)).sort(byServerLast)) {
    await rename(join(restoring, name), join(dataDir, name))
  }
  await sync(dataDir)
  await rm(restoring, { recursive: true })
  await sync(dataDir)

  async function write({ name, mode, type }: BackupEntry, body: AsyncIterable<Uint8Array>) {
    const path = join(restoring, name)
    if (type === 'directory') await mkdir(path, { mode, recursive: true })
    else await pipeline(body, createWriteStream(path, { mode, flags: 'wx' }))
    if (name.startsWith('postgres/')) await binaries.adopt(path)
    written.push(name)
  }
}

/** Many at a time: the disk's own log is then written once for all of them. */
async function syncAll(paths: readonly string[]): Promise<void> {
  const left = paths.values()
  const workers = Array.from({ length: SYNCS_AT_ONCE }, async () => {
    for (const path of left) await sync(path)
  })
  await Promise.all(workers)
}

function byServerLast(a: string, b: string): number {
  return Number(a === 'postgres') - Number(b === 'postgres')
}
