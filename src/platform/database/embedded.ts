/**
 * A PostgreSQL server below DATA_DIR, as a child of this process.
 *
 * In: the data folder. Out: a connection string that stays the same, and `stop()`. One living process has the folder:
 * it stops a server that a killed process left, and starts its own server again whenever that ends.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MendableError } from '../mendable.ts'
import { systemClock as clock } from '../time/clock.ts'
import { settleWithin } from '../time/graceful-stop.ts'
import { backoffMs } from '../time/retry.ts'
import {
  type DataCluster,
  findRunningDatabase,
  prepareDataCluster,
  readLockFile,
  stopFormerServer,
  toUrl,
} from './data-cluster.ts'
import { claimDataDir, findDataDir } from './data-dir.ts'
import { DATABASE_URL_WORDS, DatabaseRefusedError, parseDatabaseUrl } from './database-refused.ts'
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts'

export interface EmbeddedDatabase {
  url: string
  /** Stops the server, after `timeoutMs` by a kill: it then repairs its files at the next start. Safe to repeat. */
  stop(timeoutMs?: number): Promise<void>
}

export class DataDirInUseError extends MendableError {
  override readonly name = 'DataDirInUseError'

  constructor(dataDir: string) {
    super(`Cannot start: DATA_DIR "${dataDir}" is in use by another running Kopeck`)
  }
}

const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
  'log_lock_waits=on',
  // After a crash, one call for all of the disk instead of one for each file: 1 s and not 3 s.
  ...(process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : []),
]

/** Below the ports that systems give to outgoing connections. */
const PORTS = [20_000, 30_000] as const
const START_ATTEMPTS_MAX = 5
const BACKOFF = { firstMs: 250, maxMs: 5_000 }
const READY_INTERVAL_MS = 20
const STOP_MS = 10_000
const STOP_MS_MIN = 1_500
const QUIT_MS = 2_000

/** Starts the server in `dataDir`, making its files on the first run. A folder in use stays untouched. */
export async function startEmbeddedDatabase({
  dataDir: path,
  settings = [],
  onTrouble = () => {},
  signal: starting = new AbortController().signal,
}: {
  dataDir: string
  settings?: readonly string[]
  onTrouble?: (error: Error) => void
  signal?: AbortSignal
}): Promise<EmbeddedDatabase> {
  const dataDir = resolve(path)
  const claim = await claimDataDir(dataDir, ['postgres'])
  if (claim === undefined) throw new DataDirInUseError(dataDir)
  const stopping = new AbortController()
  let stopMs = STOP_MS
  try {
    const binaries = await findPostgresBinaries(dataDir)
    const cluster = await prepareDataCluster(binaries, dataDir, starting)
    const url = Promise.withResolvers<string>()
    const ended = run(binaries, cluster, url).finally(claim.release)
    return { url: await url.promise, stop }

    function stop(timeoutMs = STOP_MS): Promise<void> {
      if (!stopping.signal.aborted) stopMs = timeoutMs
      stopping.abort()
      return ended
    }
  } catch (error) {
    await claim.release()
    throw error
  }

  async function run(
    binaries: PostgresBinaries,
    cluster: DataCluster,
    url: PromiseWithResolvers<string>,
  ): Promise<void> {
    const stopped = once(stopping.signal, 'abort')
    let signal = starting
    let port = randomInt(...PORTS)
    for (let failures = 0; ; ) {
      try {
        await stopFormerServer(binaries, cluster)
        const args = [...SETTINGS, `port=${port}`, ...settings].flatMap((each) => ['-c', each])
        const server = await startServer(binaries, { directory: cluster.directory, args, signal })
        url.resolve(toUrl({ port, password: cluster.password }))
        signal = stopping.signal
        failures = 0
        await Promise.race([server.ended, stopped])
        if (signal.aborted) return await server.stop(stopMs)
        throw new Error('Cannot reach the database: its server ended, it is started again')
      } catch (error) {
        failures += 1
        const isFirst = signal === starting
        if (signal.aborted || (isFirst && failures === START_ATTEMPTS_MAX))
          return url.reject(signal.aborted ? signal.reason : error)
        // Another program may have the port.
        if (isFirst) port = randomInt(...PORTS)
        else onTrouble(error as Error)
        await clock.sleep(backoffMs(BACKOFF, failures), signal).catch(() => {})
      }
    }
  }
}

/** Finds the database of a command: DATABASE_URL, the embedded server of a running Kopeck, or its own. */
export async function joinDatabase(env: NodeJS.ProcessEnv): Promise<EmbeddedDatabase> {
  const stop = async () => {}
  if (env.DATABASE_URL) {
    const url = parseDatabaseUrl(env.DATABASE_URL.trim())
    if (url !== undefined) return { url, stop }
    throw new DatabaseRefusedError(`DATABASE_URL: should be ${DATABASE_URL_WORDS}`)
  }
  const dataDir = findDataDir(env)
  try {
    return await startEmbeddedDatabase({ dataDir })
  } catch (error) {
    const url = error instanceof DataDirInUseError && (await findRunningDatabase(dataDir))
    if (!url) throw error
    return { url, stop }
  }
}

async function startServer(
  binaries: PostgresBinaries,
  { directory, args, signal }: { directory: string; args: readonly string[]; signal: AbortSignal },
) {
  signal.throwIfAborted()
  const logFile = join(directory, 'server.log')
  // It quotes statements that failed.
  const log = await open(logFile, 'a', 0o600)
  const child = binaries.start('postgres', ['-D', directory, ...args], {
    stdio: ['ignore', log.fd, log.fd],
  })
  let hasEnded = false
  const ended = once(child, 'exit')
    // A program that cannot be started has ended.
    .catch(() => {})
    .then(() => {
      hasEnded = true
    })
  // The process ends without waiting for a server that it did not stop.
  child.unref()
  try {
    await log.close()
    while (!(await isReady())) {
      if (hasEnded) throw new MendableError(`Cannot start the database: see the end of ${logFile}`)
      await clock.sleep(READY_INTERVAL_MS, signal)
    }
    return { ended, stop }
  } catch (error) {
    await stop(0)
    throw error
  }

  async function isReady(): Promise<boolean> {
    const lock = await readLockFile(directory)
    return lock?.pid === child.pid && lock?.status === 'ready'
  }

  async function stop(timeoutMs: number): Promise<void> {
    child.kill('SIGINT')
    if (await settleWithin([ended], Math.max(timeoutMs, STOP_MS_MIN))) return
    child.kill('SIGQUIT')
    if (await settleWithin([ended], QUIT_MS)) return
    child.kill('SIGKILL')
    await ended
  }
}
