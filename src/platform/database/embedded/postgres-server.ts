import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { MendableError } from '../../mendable.ts'
import { settleWithin } from '../../time/graceful-stop.ts'
import { type DataCluster, USER } from './data-cluster.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

/** A PostgreSQL server that is a child of this process, in a session of its own. */
export interface PostgresServer {
  ended: Promise<unknown>
  stop(timeoutMs: number): Promise<void>
}

export interface PostgresServerOptions {
  binaries: PostgresBinaries
  cluster: DataCluster
  port: number
  settings: readonly string[]
  signal: AbortSignal
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  // Waits for locks can be read in server.log.
  'log_lock_waits=on',
  // After a crash, one call for all of the disk instead of one for each file: 1 s and not 3 s.
  ...(process.platform === 'linux' ? ['recovery_init_sync_method=syncfs'] : []),
]

const READY_INTERVAL_MS = 50
const READY_TIMEOUT_MS = 3_000
/** A connection is refused for so long as the server starts or repairs what a crash left. */
const NOT_READY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03'])
/** An order to end waits for running statements and the disk no longer than that. */
const STOP_MS_MIN = 1_500
const QUIT_MS = 2_000

/**
 * Starts a server on the files of a cluster, and makes sure of the database.
 *
 * @returns When it takes connections, however long it repairs what a crash left.
 * @throws If it ends before that, or the signal's reason. Nothing runs then.
 */
export async function startPostgresServer({
  binaries,
  cluster,
  port,
  settings,
  signal,
}: PostgresServerOptions): Promise<PostgresServer> {
  signal.throwIfAborted()
  const logFile = join(cluster.directory, 'server.log')
  const server = await launch()
  try {
    while (!(await isReady(toUrl({ port, password: cluster.password }, 'postgres')))) {
      if (server.hasEnded())
        throw new MendableError(`Cannot start the database: see the end of ${logFile}`)
      await delay(READY_INTERVAL_MS, undefined, { signal })
    }
    return server
  } catch (error) {
    await server.stop(0)
    throw error
  }

  async function launch() {
    const values = [...SETTINGS, `port=${port}`, ...settings].flatMap((each) => ['-c', each])
    // It quotes statements that failed, and what was in them.
    const log = await open(logFile, 'a', 0o600)
    try {
      await log.chmod(0o600)
      await binaries.adopt(logFile)
      const child = binaries.start('postgres', ['-D', cluster.directory, ...values], log.fd)
      // A program that cannot be started has ended, too.
      const ended = once(child, 'exit').catch(() => {})
      let hasEnded = false
      void ended.then(() => {
        hasEnded = true
      })
      // The process ends without waiting for a server that it forgot to stop.
      child.unref()
      return {
        ended,
        hasEnded: () => hasEnded,
        async stop(timeoutMs: number) {
          child.kill('SIGINT')
          if (await settleWithin([ended], Math.max(timeoutMs, STOP_MS_MIN))) return
          child.kill('SIGQUIT')
          if (await settleWithin([ended], QUIT_MS)) return
          child.kill('SIGKILL')
          await ended
        },
      }
    } finally {
      await log.close()
    }
  }
}

/** Connection string of a database of a server on this machine. */
export function toUrl(
  { port, password }: { port: number; password: string },
  database: string = USER,
): string {
  return `postgresql://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: READY_TIMEOUT_MS,
  })
  // What is asked of a connection that breaks fails with the same error.
  client.on('error', () => {})
  try {
    await client.connect()
    const existing = await client.query('SELECT FROM pg_database WHERE datname = $1', [USER])
    if (existing.rowCount === 0) await client.query(`CREATE DATABASE ${USER}`)
    return true
  } catch (error) {
    if (NOT_READY_CODES.has(String((error as { code?: unknown }).code))) return false
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}
