import { randomUUID } from 'node:crypto'
import { access, chmod, constants, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MendableError } from '../mendable.ts'

const FILE_MODE = 0o600
const SQLITE_BUSY = 5

export class DataDirRefusedError extends MendableError {
  override readonly name = 'DataDirRefusedError'
  readonly code = 'data_dir_refused'

  constructor(dataDir: string, problem: string, options?: ErrorOptions) {
    super(`Cannot use DATA_DIR "${dataDir}": ${problem}`, options)
  }
}

/** Returns the folder of all stored data: without BOT_TOKEN `playground` in DATA_DIR, so that a later token meets none. */
export function findDataDir(env: NodeJS.ProcessEnv): string {
  const folder = findRootDir(env)
  return env.BOT_TOKEN?.trim() ? folder : join(folder, 'playground')
}

export function findRootDir({ DATA_DIR }: NodeJS.ProcessEnv): string {
  return resolve(DATA_DIR?.trim() || './data')
}

/** Locks of this process. A lock that is garbage collected is released. */
const locks = new Set<DatabaseSync>()

/**
 * Claims a data folder for some roles by SQLite's lock on an empty file, which the system releases at the process's end.
 * @returns Undefined if another living process has the claim, frozen or not.
 */
export async function claimDataDir(dataDir: string, works: Iterable<string>) {
  const work = [...works].sort().join('-')
  await makeDataDir(dataDir)
  try {
    // The same for every process that ever has the claim, and for no other claim.
    const name = `${work} ${await readName(join(dataDir, 'instance'))}`
    const lock = await lockFile(join(dataDir, `${work}.lock`))
    const release = async () => {
      if (lock !== undefined && locks.delete(lock)) lock.close()
    }
    return lock && { name, release }
  } catch (error) {
    throw toRefusal(error, dataDir)
  }
}

/** Nothing else may open the file: whatever closes it in this process drops the lock. */
async function lockFile(path: string): Promise<DatabaseSync | undefined> {
  const lock = new DatabaseSync(path)
  try {
    // Any other mode makes a second file.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw error
    return undefined
  }
  locks.add(lock)
  await chmod(path, FILE_MODE)
  return lock
}

function toRefusal(error: unknown, dataDir: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!/^E(?!RR_)/.test(code)) return error
  return new DataDirRefusedError(dataDir, `it cannot be written (${code})`, { cause: error })
}

/** Makes a data folder for files of our user alone. A folder that is there stays as it is. */
export async function makeDataDir(dataDir: string): Promise<void> {
  // As root, the embedded server runs as another user, and its folder is below: others may pass, and read nothing.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  try {
    await mkdir(dataDir, { recursive: true, mode })
    await access(dataDir, constants.W_OK)
  } catch (error) {
    throw toRefusal(error, dataDir)
  }
}

/** Names this very folder: a copy of it has another name, also on another machine. */
async function readName(path: string): Promise<string> {
  const write = writeFile(path, randomUUID(), { flag: 'wx', mode: FILE_MODE })
  await write.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const { dev, ino } = await stat(path)
  return [await readFile(path, 'utf8'), hostname(), dev, ino].join(' ')
}
