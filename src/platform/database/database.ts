import type { Duplex } from 'node:stream'
import pg from 'pg'
import { type Clock, systemClock } from '../time/clock.ts'

export type Database = ReturnType<typeof openDatabase>

export const CONNECT_TIMEOUT_MS = 10_000

export const SUSPENDED = 'Connection terminated before it began: the database does not answer'

const ENDED = 'Connection terminated unexpectedly'
/** The message of one that was ended before it could be used, as by a proxy that finds no server to lead to. */
export const NOT_BEGUN = 'Connection terminated before it could be used'

const FULL_AFTER_MS = 2_000
const DISK_FULL = '53100'
const DISK_FULL_MS = 10_000

/** Statements are short: with twice as many on two cores PostgreSQL answered a third less of them. */
const CONNECTIONS_MAX = 8
/** Of a process: the pool, and a session that listens and renews its lease. */
export const CONNECTIONS_NEEDED = CONNECTIONS_MAX + 1

/** A statement waits for what another session has locked no longer; then it fails as where the database is away. */
const LOCK_TIMEOUT_MS = 10_000
const IDLE_IN_TRANSACTION_MS = 60_000
/** Set by a statement: poolers refuse what they do not know among the parameters of a connection. */
export const BOUND_WAITS_SQL = `
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`

export function connectionOptions(url: string, use?: string) {
  return {
    connectionString: nameTlsMode(url),
    fallback_application_name: use === undefined ? 'kopeck' : `kopeck ${use}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  }
}

/**
 * Replaces the modes of TLS that pg handles as `verify-full`, and warns of, by that name: they stay as strict with any pg.
 * `uselibpqcompat` asks for psql's meaning (docs/operating.md#your-own-postgresql).
 */
function nameTlsMode(url: string): string {
  if (/[?&]uselibpqcompat=true(?=[&#]|$)/.test(url)) return url
  return url.replaceAll(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g, '$1verify-full')
}

export interface DatabaseOptions {
  url: string
  use?: string
  connectionsMax?: number
  onIdleError?: (error: Error) => void
  onWaited?: (waitedMs: number) => void
  clock?: Pick<Clock, 'now'>
}

type ConnectDone = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: unknown) => void,
) => void

export function openDatabase(options: DatabaseOptions) {
  const { url, use, connectionsMax = CONNECTIONS_MAX, onIdleError } = options
  const { onWaited = () => {}, clock = systemClock } = options
  let isOpen = true
  let isSuspended = false
  let diskFullMs = Number.NEGATIVE_INFINITY
  const sockets = new Set<Duplex>()
  /** The first is the longest. */
  const waits = new Set<{ sinceMs: number }>()

  class WatchedClient extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(done: (error: Error | null, client?: pg.Client) => void): void
    override connect(done?: (error: Error | null, client?: pg.Client) => void) {
      if (done === undefined) return super.connect()
      if (isSuspended) return void process.nextTick(done, new Error(SUSPENDED))
      const socket = this.connection.stream
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      this.connection.on('errorMessage', (error: pg.DatabaseError) => {
        if (error.code === DISK_FULL) diskFullMs = clock.now()
      })
      return super.connect((error: Error | null) => {
        if (error !== null) isOpen = false
        done(error?.message === ENDED ? new Error(NOT_BEGUN, { cause: error }) : error)
      })
    }
  }

  class WatchedPool extends pg.Pool {
    override connect(): Promise<pg.PoolClient>
    override connect(done: ConnectDone): void
    override connect(done?: ConnectDone): Promise<pg.PoolClient> | undefined {
      const endWait = beginWait()
      if (done === undefined) return super.connect().finally(endWait)
      super.connect((...outcome) => {
        endWait()
        done(...outcome)
      })
      return undefined
    }
  }

  const pool = new WatchedPool({
    Client: WatchedClient,
    ...connectionOptions(url, use),
    max: connectionsMax,
    onConnect: (client) => {
      // The pool listens to idle connections. A connection that is taken out and asked nothing at the moment in which its
      // session is ended would end the process; its next statement fails anyway.
      client.on('error', () => {})
      return client.query(BOUND_WAITS_SQL)
    },
  })
  pool.on('error', (error) => {
    // A server that ends at the same moment may cut off connections that are being ended: they are not needed.
    if (!pool.ending) onIdleError?.(error)
  })
  pool.on('acquire', () => {
    isOpen = true
  })
  return { pool, suspend, resume, findProblem, close: () => pool.end() }

  /** Breaks all connections and refuses new ones until `resume()`: statements fail at once, not after minutes. */
  function suspend(): void {
    isSuspended = true
    for (const socket of sockets) socket.destroy(new Error('Connection terminated: no answer'))
  }

  function resume(): void {
    isSuspended = false
  }

  function findProblem(): string | undefined {
    if (!isOpen) return 'the database takes no connections'
    const [longest] = waits
    const waitedMs = longest === undefined ? 0 : clock.now() - longest.sinceMs
    if (waitedMs >= FULL_AFTER_MS) return 'no connection to the database is free'
    const isFull = clock.now() - diskFullMs < DISK_FULL_MS
    return isFull ? 'the disk of the database is full' : undefined
  }

  function beginWait(): () => void {
    const wait = { sinceMs: clock.now() }
    waits.add(wait)
    return () => {
      waits.delete(wait)
      onWaited(clock.now() - wait.sinceMs)
    }
  }
}
