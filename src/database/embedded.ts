import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts'

/** A PostgreSQL server of our own, started by this process. */
export interface EmbeddedDatabase {
  /** Connection string of the database `kopeck`. */
  url: string
  /** Stops the server and waits until it is gone. Safe to repeat. */
  stop(): Promise<void>
}

export interface EmbeddedDatabaseOptions {
  /** Folder for everything this process stores; the server's files are below it. */
  dataDir: string
  /** Server settings, `name=value`, on top of our own. */
  settings?: readonly string[]
}

/** Another running Kopeck has this DATA_DIR. */
export class DataDirInUseError extends Error {
  override readonly name = 'DataDirInUseError'
  readonly dataDir: string

  constructor(dataDir: string) {
    super(`Cannot start: DATA_DIR "${dataDir}" is in use by another running Kopeck`)
    this.dataDir = dataDir
  }
}

const USER = 'kopeck'
/** Held in the database `postgres` by the process that owns the server, for as long as it lives. */
const OWNER_LOCK = 0x6b6f70
const PROBE_ATTEMPTS_MAX = 50
const PROBE_INTERVAL_MS = 200
const START_ATTEMPTS_MAX = 3

const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']

/**
 * Starts the server in `dataDir`, making its files on the first run.
 *
 * A server whose process was killed is stopped first; one that a living process owns is left alone.
 *
 * @throws {DataDirInUseError} If a living process owns the folder. Nothing is touched.
 */
export async function startEmbeddedDatabase(
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir)
  const directory = join(dataDir, 'postgres')
  await mkdir(dataDir, { recursive: true })
  const binaries = await findPostgresBinaries(dataDir)
  const password = await readPassword(dataDir)
  await initialise(binaries, directory, join(dataDir, 'postgres.password'))
  for (let attempt = 1; ; attempt += 1) {
    await stopServerWithoutOwner(binaries, directory, dataDir, password)
    const port = await freePort()
    const flags = [...SETTINGS, `port=${port}`, ...(options.settings ?? [])]
    const serverArgs = flags.map((flag) => `-c ${flag}`).join(' ')
    let owner: pg.Client | undefined
    try {
      const log = join(directory, 'server.log')
      const args = ['start', '-w', '-s', '-D', directory, '-l', log, '-o', serverArgs]
      await binaries.run('pg_ctl', args)
      owner = await takeOver(port, password)
    } catch (error) {
      // Another process may have started a server here or taken the port in between, or taken this
      // server for one without an owner before it had this one: look again.
      if (attempt === START_ATTEMPTS_MAX) throw error
      continue
    }
    if (owner === undefined) throw new DataDirInUseError(dataDir)
    return {
      url: connectionString(port, password, USER),
      stop: stopOnce(binaries, directory, owner),
    }
  }
}

/**
 * Finds the server that another running Kopeck has started in `dataDir`.
 *
 * @returns Connection string of the database `kopeck`; undefined if no server left its mark there.
 */
export async function findRunningDatabase(dataDir: string): Promise<string | undefined> {
  const pidFile = await readOptional(join(resolve(dataDir), 'postgres', 'postmaster.pid'))
  const password = await readOptional(join(resolve(dataDir), 'postgres.password'))
  const port = Number(pidFile?.split('\n')[3])
  return password === undefined || !(port > 0) ? undefined : connectionString(port, password, USER)
}

function stopOnce(binaries: PostgresBinaries, directory: string, owner: pg.Client) {
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= (async () => {
      await owner.end()
      await binaries.run('pg_ctl', ['stop', '-w', '-s', '-m', 'fast', '-D', directory])
    })()
    return stopped
  }
}

async function readPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres.password')
  // 'wx' lets one of two first starts win; both then read the winner's password.
  await writeFile(path, randomBytes(24).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return await readFile(path, 'utf8')
}

/** Makes the server's files in a folder of another name and renames it: a kill leaves nothing half made. */
async function initialise(
  binaries: PostgresBinaries,
  directory: string,
  passwordFile: string,
): Promise<void> {
  if ((await readOptional(join(directory, 'PG_VERSION'))) !== undefined) return
  const fresh = await mkdtemp(`${directory}.new-`)
  const readable = `${fresh}.password`
  try {
    await writeFile(readable, await readFile(passwordFile), { mode: 0o600 })
    await Promise.all([binaries.adopt(fresh), binaries.adopt(readable)])
    await binaries.run('initdb', [
      `--pgdata=${fresh}`,
      `--username=${USER}`,
      `--pwfile=${readable}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ])
    await rename(fresh, directory)
  } catch (error) {
    // Another first start may have put its folder there before ours: then it serves as well.
    if ((await readOptional(join(directory, 'PG_VERSION'))) === undefined) throw error
  } finally {
    await rm(fresh, { recursive: true, force: true })
    await rm(readable, { force: true })
  }
}

/** Stops a server whose owner has died. Its lock file tells the process id and the port. */
async function stopServerWithoutOwner(
  binaries: PostgresBinaries,
  directory: string,
  dataDir: string,
  password: string,
): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid')
  for (let attempt = 1; attempt <= PROBE_ATTEMPTS_MAX; attempt += 1) {
    const lines = (await readOptional(pidFile))?.split('\n')
    if (lines === undefined) return
    const pid = Number(lines[0])
    if (!(await isPostgres(pid, directory))) {
      await rm(pidFile, { force: true })
      return
    }
    const owner = await takeOver(Number(lines[3]), password).catch(() => 'unreachable' as const)
    if (owner === undefined) throw new DataDirInUseError(dataDir)
    if (owner !== 'unreachable') {
      await owner.end()
      await binaries.run('pg_ctl', ['stop', '-w', '-s', '-m', 'fast', '-D', directory])
      return
    }
    // It is starting or stopping just now.
    await delay(PROBE_INTERVAL_MS)
  }
  throw new Error(`Cannot start: the database server in "${directory}" runs but does not answer`)
}

/** Whether the process is a PostgreSQL server of this folder, and not one that got its id after a restart. */
async function isPostgres(pid: number, directory: string): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const commandLine = await readOptional(`/proc/${pid}/cmdline`)
  return commandLine === undefined || commandLine.includes(directory)
}

/** Makes this process the server's owner and makes sure of the database; undefined if another process is. */
async function takeOver(port: number, password: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: connectionString(port, password, 'postgres') })
  // The server goes away under this connection when it is stopped or killed; others notice by themselves.
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ owned: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS owned',
    [OWNER_LOCK],
  )
  if (rows[0]?.owned !== true) {
    await client.end()
    return undefined
  }
  const existing = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [USER])
  if (existing.rowCount === 0) await client.query(`CREATE DATABASE ${USER}`)
  return client
}

function connectionString(port: number, password: string, database: string): string {
  return `postgresql://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(0, '127.0.0.1', done)
  })
  const address = server.address()
  await new Promise((done) => server.close(done))
  if (address === null || typeof address === 'string') throw new TypeError('No port was assigned')
  return address.port
}

async function readOptional(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
