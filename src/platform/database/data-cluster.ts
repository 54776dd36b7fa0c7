import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DataDirRefusedError } from './data-dir.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

const USER = 'kopeck'

/** The folder below a data folder that a restore writes to until it is whole. */
export const RESTORING = 'restoring'

export interface DataCluster {
  directory: string
  password: string
}

/** Finds the server's files below `dataDir`, or makes them. A refused folder stays untouched. */
export async function prepareDataCluster(
  binaries: PostgresBinaries,
  dataDir: string,
  signal: AbortSignal,
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
  const passwordFile = join(dataDir, 'postgres.password')
  const known = await readOptional(passwordFile)
  const password = known || randomBytes(24).toString('base64url')
  if (password !== known) await writeFile(passwordFile, password, { mode: 0o600 })
  const cluster = { directory, password }
  if (!(version > 0)) await make(binaries, cluster, signal)
  return cluster
}

/** Makes the files in another folder and renames it: a kill leaves no half of a cluster. */
async function make(
  binaries: PostgresBinaries,
  { directory, password }: DataCluster,
  signal: AbortSignal,
): Promise<void> {
  const fresh = `${directory}.new`
  const files = join(fresh, 'files')
  const passwordFile = join(fresh, 'password')
  await rm(fresh, { recursive: true, force: true })
  try {
    await mkdir(fresh, { mode: 0o700 })
    await writeFile(passwordFile, password, { mode: 0o600 })
    for (const path of [fresh, passwordFile]) await binaries.adopt(path)
    const identity = [`--username=${USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    const format = ['--encoding=UTF8', '--locale=C', '--no-instructions', '--no-sync']
    await binaries.run('initdb', [`--pgdata=${files}`, ...identity, ...format], { signal })
    // Without waiting for the disk: one sync at the end is 0.7 s faster.
    const settings = ['-c', 'fsync=off', '-c', 'exit_on_error=on']
    await binaries.run('postgres', ['--single', '-D', files, ...settings, 'postgres'], {
      input: `CREATE DATABASE ${USER} STRATEGY FILE_COPY`,
      signal,
    })
    await binaries.run('initdb', ['--sync-only', `--pgdata=${files}`], { signal })
    await rename(files, directory)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Returns the URL of the server that another running Kopeck has started in `dataDir`. */
export async function findRunningDatabase(dataDir: string): Promise<string | undefined> {
  const { port = 0 } = (await readLockFile(join(dataDir, 'postgres'))) ?? {}
  const password = await readOptional(join(dataDir, 'postgres.password'))
  return password === undefined || !(port > 0) ? undefined : toUrl({ port, password })
}

export function toUrl({ port, password }: { port: number; password: string }): string {
  return `postgresql://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${USER}`
}

/** Stops the server that a killed process left. PostgreSQL judges the lock file of a dead server. */
export async function stopFormerServer(
  binaries: PostgresBinaries,
  { directory }: DataCluster,
): Promise<void> {
  const lock = await readLockFile(directory)
  if (lock === undefined || (lock.pid > 0 && !isRunning(lock.pid))) return
  // After a restart of the machine or the container, another program may have its process id.
  const command = lock.pid > 0 ? await readOptional(`/proc/${lock.pid}/cmdline`) : ''
  if (command?.includes(directory) === false) await rm(join(directory, 'postmaster.pid'))
  else await binaries.run('pg_ctl', ['stop', '-w', '-s', '-m', 'fast', '-D', directory])
}

export async function readLockFile(directory: string) {
  const lines = (await readOptional(join(directory, 'postmaster.pid')))?.split('\n')
  return lines && { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function readOptional(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
