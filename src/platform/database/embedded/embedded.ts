import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { MendableError } from '../../mendable.ts'
import { backoffMs } from '../../time/backoff.ts'
import { systemClock } from '../../time/clock.ts'
import { retry } from '../../time/retry.ts'
import { claimDataDir } from '../data-dir.ts'
import { findServer, prepareDataCluster, stopFormerServer } from './data-cluster.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { type PostgresServer, startPostgresServer, toUrl } from './postgres-server.ts'

/** A PostgreSQL server of our own, which this process starts again whenever it ends. */
export interface EmbeddedDatabase {
  /** Connection string of the database `kopeck`, the same as long as this process lives. */
  url: string
  /**
   * Stops the server and waits until it is gone. Safe to repeat.
   *
   * @param timeoutMs What it has for ending in order; after that it is cut off, and repairs itself at
   *   the next start.
   */
  stop(timeoutMs?: number): Promise<void>
}

export interface EmbeddedDatabaseOptions {
  dataDir: string
  settings?: readonly string[]
  onTrouble?: (error: Error) => void
  signal?: AbortSignal
}

/** Another running Kopeck has this DATA_DIR. */
export class DataDirInUseError extends MendableError {
  override readonly name = 'DataDirInUseError'
  readonly dataDir: string

  constructor(dataDir: string) {
    super(`Cannot start: DATA_DIR "${dataDir}" is in use by another running Kopeck`)
    this.dataDir = dataDir
  }
}

const WORK = ['postgres']

const START_ATTEMPTS_MAX = 5
/** Also before a server is started again that has lived shorter than `STEADY_MS`. */
const BACKOFF = { firstMs: 250, maxMs: 5_000 }
const STEADY_MS = 10_000
const STOP_MS = 10_000

/**
 * Starts the server in `dataDir`, making its files on the first run.
 *
 * A server whose process was killed is stopped first; one that a living process owns is left alone.
 *
 * @throws {DataDirInUseError} If a living process owns the folder. Nothing is touched.
 */
export async function startEmbeddedDatabase({
  dataDir: path,
  settings = [],
  onTrouble = () => {},
  signal = new AbortController().signal,
}: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(path)
  const claim = await claimDataDir(dataDir, WORK)
  if (claim === undefined) throw new DataDirInUseError(dataDir)
  try {
    const { url, stop } = await startOwned({ dataDir, settings, onTrouble, signal })
    let stopped: Promise<void> | undefined
    return {
      url,
      stop: (timeoutMs = STOP_MS) => (stopped ??= stop(timeoutMs).finally(claim.release)),
    }
  } catch (error) {
    await claim.release()
    throw error
  }
}

/**
 * Finds the server that another running Kopeck has started in `dataDir`.
 *
 * @returns Connection string of the database `kopeck`; undefined if no server left its mark there.
 */
export async function findRunningDatabase(dataDir: string): Promise<string | undefined> {
  const server = await findServer(resolve(dataDir))
  return server && toUrl(server)
}

async function startOwned({
  dataDir,
  settings,
  onTrouble,
  signal: starting,
}: Required<EmbeddedDatabaseOptions>) {
  const binaries = await findPostgresBinaries(dataDir)
  const cluster = await prepareDataCluster(binaries, dataDir, starting)
  const clock = systemClock
  let port = 0
  const start = async (signal: AbortSignal): Promise<PostgresServer> => {
    await stopFormerServer(binaries, cluster)
    return await startPostgresServer({ binaries, cluster, port, settings, signal })
  }
  let server = await retry(
    async () => {
      // Another program may have taken the one before in between.
      port = await findFreePort()
      return await start(starting)
    },
    {
      clock,
      signal: starting,
      delayAfter: (_error, attempts) =>
        attempts < START_ATTEMPTS_MAX ? backoffMs(BACKOFF, attempts) : undefined,
    },
  )
  const stopping = new AbortController()
  const { signal } = stopping
  let stopMs = STOP_MS
  const kept = keepRunning()
  return { url: toUrl({ port, password: cluster.password }), stop }

  async function stop(timeoutMs: number): Promise<void> {
    stopMs = timeoutMs
    stopping.abort()
    await kept
  }

  async function keepRunning(): Promise<void> {
    const stopped = once(signal, 'abort')
    for (let shortLives = 0; ; ) {
      const startedMs = clock.now()
      await Promise.race([server.ended, stopped])
      if (signal.aborted) return await server.stop(stopMs)
      onTrouble(new Error('Cannot reach the database: its server ended, it is started again'))
      shortLives = clock.now() - startedMs < STEADY_MS ? shortLives + 1 : 0
      try {
        if (shortLives > 0) await clock.sleep(backoffMs(BACKOFF, shortLives), signal)
        server = await retry(() => start(signal), { clock, signal, delayAfter })
      } catch {
        // Stopping is what ends the attempts; the server of none of them runs.
        return
      }
    }
  }

  function delayAfter(error: unknown, attempts: number): number {
    onTrouble(error as Error)
    return backoffMs(BACKOFF, attempts)
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  await new Promise((done) => server.close(done))
  if (address === null || typeof address === 'string') throw new TypeError('No port was assigned')
  return address.port
}
