import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { RESTORING } from '../platform/database/data-cluster.ts'
import { claimDataDir, findDataDir, findRootDir } from '../platform/database/data-dir.ts'
import { DataDirInUseError } from '../platform/database/embedded.ts'
import {
  findPostgresBinaries,
  type PostgresBinaries,
} from '../platform/database/postgres-binaries.ts'
import { writeCommand } from '../platform/installation.ts'
import { type BackupInfo, BackupRefusal, readBackup, sync } from './backup-file.ts'
import { type CommandContext, createProgram, unlessMissing } from './program.ts'

/** Entries that an empty folder may have: the mark of a claim, an interrupted restore, a folder of the disk. */
const IGNORED = /^(instance|lost\+found|postgres\.lock)$/

const OWN_SERVER =
  'DATABASE_URL names a PostgreSQL of your own: make an empty database there and fill it with pg_restore --dbname="$DATABASE_URL" FILE, or unset it to restore an embedded one (docs/backup.md)'

/** `kopeck restore`: a new DATA_DIR from a backup. */
export function createRestoreProgram({ env, print, ...help }: CommandContext): Command {
  return createProgram(help)
    .argument('<FILE>', 'file of kopeck backup')
    .action(async (name: string) => {
      if (env.DATABASE_URL) throw new Error(OWN_SERVER)
      const dataDir = findDataDir(env)
      const { kopeck } = await restoreBackup(resolve(env.INIT_CWD ?? '', name), dataDir)
      const start = `DATA_DIR=${findRootDir(env)} ${writeCommand('start')}`
      print(`Restored into ${dataDir} what Kopeck ${kopeck} backed up. To start on it: ${start}`)
    })
}

/**
 * Restores a backup into an empty DATA_DIR. Nothing is written before the whole file was read and verified; a start in a
 * folder whose restore was interrupted is refused.
 */
export async function restoreBackup(file: string, folder: string): Promise<BackupInfo> {
  const dataDir = resolve(folder)
  await refuseFull(dataDir)
  const binaries = await findPostgresBinaries(dataDir)
  const info = await readBackup(file)
  const { postgres, kopeck } = info
  if (postgres !== binaries.majorVersion) {
    throw new BackupRefusal(
      file,
      `it is of PostgreSQL ${postgres} and was made by Kopeck ${kopeck}, and this Kopeck has ${binaries.majorVersion}; restore it with a Kopeck that has ${postgres} (docs/backup.md)`,
    )
  }
  const claim = await claimDataDir(dataDir, ['postgres'])
  if (claim === undefined) throw new DataDirInUseError(dataDir)
  try {
    // Another process may have used the folder while the file was read.
    await refuseFull(dataDir)
    await extractInto(dataDir, file, binaries)
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
  const names = (await readdir(dataDir).catch(unlessMissing)) ?? []
  if (names.every((name) => name === RESTORING || IGNORED.test(name))) return
  throw new Error(`Cannot restore: DATA_DIR "${dataDir}" is not empty; name an empty or new folder`)
}

async function extractInto(dataDir: string, file: string, binaries: PostgresBinaries) {
  const restoring = join(dataDir, RESTORING)
  const folders = ['', 'postgres', 'media'].map((name) => join(restoring, name))
  await rm(restoring, { recursive: true, force: true })
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 })
  await binaries.adopt(join(restoring, 'postgres'))
  await readBackup(file, async ({ name, mode = 0o600, type }, body) => {
    const path = join(restoring, name)
    if (type === 'directory') {
      await mkdir(path, { mode, recursive: true })
      folders.push(path)
    } else {
      await pipeline(body, createWriteStream(path, { mode, flags: 'wx', flush: true }))
    }
    if (name.startsWith('postgres/')) await binaries.adopt(path)
  })
  for (const folder of folders) await sync(folder)
  // The server's files come last: no server starts before everything is in place.
  const isServer = (name: string) => Number(name === 'postgres')
  const names = await readdir(restoring)
  for (const name of names.sort((one, other) => isServer(one) - isServer(other))) {
    await rename(join(restoring, name), join(dataDir, name))
  }
  await sync(dataDir)
  await rm(restoring, { recursive: true })
  await sync(dataDir)
}
