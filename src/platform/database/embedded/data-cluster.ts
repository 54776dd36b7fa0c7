import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirRefusedError } from '../data-dir.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

/** The one user of the server, and the name of its database. */
export const USER = 'kopeck'

/** The folder below a data folder that a restore is written to until it is whole. */
export const RESTORING = 'restoring'

/** The files of a server below a data folder. */
export interface DataCluster {
  directory: string
  password: string
}

/**
 * Finds the server's files below `dataDir`, or makes them.
 *
 * @throws {DataDirRefusedError} If they are of another major version, or not whole. Nothing is touched.
 */
export async function prepareDataCluster(
  binaries: PostgresBinaries,
  dataDir: string,
  signal?: AbortSignal,
): Promise<DataCluster> {
  const directory = join(dataDir, 'postgres')
  if ((await stat(join(dataDir, RESTORING)).catch(() => undefined)) !== undefined) {
    throw new DataDirRefusedError(
      dataDir,
      'a restore into it did not end; empty the folder and restore again',
    )
  }
  const version = Number(await readOptional(join(directory, 'PG_VERSION')))
  if (version > 0 && version !== binaries.majorVersion) {
    throw new DataDirRefusedError(
      dataDir,
      `its files are of PostgreSQL ${version}, and this Kopeck has ${binaries.majorVersion}; start a Kopeck that has ${version} there, dump the database, and load it into a new DATA_DIR with this one (docs/backup.md#another-major-version)`,
    )
  }
  const password = await readPassword(join(dataDir, 'postgres.password'))
  if (!(version > 0)) {
    await make(binaries, { directory, password }, signal)
  }
  return { directory, password }
}

/**
 * Finds where the server that runs in `dataDir` listens.
 *
 * @returns Undefined if no server left its mark there.
 */
export async function findServer(
  dataDir: string,
): Promise<{ port: number; password: string } | undefined> {
  const port = Number((await readLockFile(join(dataDir, 'postgres')))?.split('\n')[3])
  const password = await readOptional(join(dataDir, 'postgres.password'))
  return password === undefined || !(port > 0) ? undefined : { port, password }
}

/**
 * Makes sure that no server runs on the files, which may be one whose owner was killed. A lock that
 * a dead server left is PostgreSQL's to judge: processes of that server may be about to end.
 */
export async function stopFormerServer(
  binaries: PostgresBinaries,
  { directory }: DataCluster,
): Promise<void> {
  const lock = await readLockFile(directory)
  if (lock === undefined) return
  const pid = Number(lock.split('\n')[0])
  if (pid > 0 && !isRunning(pid)) return
  // After a restart of the machine its process id may be another program's.
  if (!(pid > 0 && (await isServer(pid, directory)))) await rm(lockFileOf(directory))
  else await binaries.run('pg_ctl', ['stop', '-w', '-s', '-m', 'fast', '-D', directory])
}

async function readPassword(path: string): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  await writeFile(path, password, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return await readFile(path, 'utf8')
}

/** Makes the files in a folder of another name, which is then renamed: a kill leaves nothing half made. */
async function make(
  binaries: PostgresBinaries,
  { directory, password }: DataCluster,
  signal?: AbortSignal,
): Promise<void> {
  const fresh = await mkdtemp(`${directory}.new-`)
  const passwordFile = `${fresh}.password`
  try {
    await writeFile(passwordFile, password, { mode: 0o600 })
    await Promise.all([binaries.adopt(fresh), binaries.adopt(passwordFile)])
    const args = [
      `--pgdata=${fresh}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ]
    await binaries.run('initdb', args, signal)
    await rename(fresh, directory)
  } finally {
    await rm(fresh, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function isServer(pid: number, directory: string): Promise<boolean> {
  const commandLine = await readOptional(`/proc/${pid}/cmdline`)
  return commandLine === undefined || commandLine.includes(directory)
}

async function readLockFile(directory: string): Promise<string | undefined> {
  return await readOptional(lockFileOf(directory))
}

function lockFileOf(directory: string): string {
  return join(directory, 'postmaster.pid')
}

async function readOptional(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
