import { once } from 'node:events'
import pg from 'pg'
import { systemClock } from '../../time/clock.ts'
import { backoffMs, retry } from '../../time/retry.ts'
import { BOUND_WAITS_SQL, CONNECT_TIMEOUT_MS, connectionOptions } from '../database.ts'

const RECONNECT = { firstMs: 125, maxMs: 1000 }
/** An attempt that began while the network was away ends soon after it is back. */
const RECONNECT_TIMEOUT_MS = 3_000

/** Without these the server would keep the session of a machine that lost its power, and its locks, for hours. */
const KEEPALIVE_SQL =
  'SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2'

export interface NotificationListener {
  onNotification(payload: string): void
  /** The connection is new: notifications may have been missed before. */
  onGap(): void
}

export interface Notifications {
  /** Calls the listener with what comes on a channel, from its first `onGap()` until the session is closed. */
  listen(channel: string, listener: NotificationListener): void
}

/** A connection that is there. It does one thing at a time, in the order in which it was asked. */
class SessionConnection {
  readonly #client: pg.Client
  readonly #breaking = new AbortController()
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: pg.Client) {
    this.#client = client
    client.on('error', this.lose)
    client.on('end', () => this.lose(new Error('The connection was closed')))
  }

  /** Aborted when the connection broke or was closed: its subscriptions are gone. */
  get lost(): AbortSignal {
    return this.#breaking.signal
  }

  readonly lose = (reason: unknown): void => this.#breaking.abort(reason)

  async query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]> {
    const result = this.#last.then(() => this.#client.query<Row>(sql, values))
    this.#last = result.catch(() => {})
    return (await result).rows
  }
}

/** The connection that a process keeps for LISTEN and its lease, replaced when it breaks. */
export interface Session extends Notifications {
  query: SessionConnection['query']
  connection(): SessionConnection | undefined
  close(): Promise<void>
}

/** Connects. @throws What the first attempt failed with; later ones are repeated until `close()`. */
export async function openSession(url: string, onError: (error: Error) => void): Promise<Session> {
  const subscriptions: { channel: string; listener: NotificationListener }[] = []
  const closing = new AbortController()
  const { signal } = closing
  let client: pg.Client
  let current: SessionConnection | undefined
  await connect(CONNECT_TIMEOUT_MS)
  const kept = keepConnected()
  return { listen, query, connection: () => current, close }

  function listen(channel: string, listener: NotificationListener): void {
    const subscription = { channel, listener }
    subscriptions.push(subscription)
    if (current !== undefined) subscribe(current, subscription).catch(current.lose)
  }

  async function query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) {
    if (current === undefined) throw new Error('Connection terminated: it is being replaced')
    return await current.query<Row>(sql, values)
  }

  async function close(): Promise<void> {
    closing.abort()
    // A client that is ended while it connects never reports whether it has.
    if (current === undefined) discard(client)
    else await client.end()
    await kept
  }

  async function keepConnected(): Promise<void> {
    for (; current !== undefined; await reconnect()) {
      const { lost } = current
      if (!lost.aborted) await once(lost, 'abort')
      discard(client)
      current = undefined
      if (!signal.aborted) onError(lost.reason)
    }
  }

  async function reconnect(): Promise<void> {
    const delayAfter = (error: unknown, attempts: number) => {
      onError(error as Error)
      return backoffMs(RECONNECT, attempts)
    }
    // Closing is what ends the attempts.
    await retry(() => connect(RECONNECT_TIMEOUT_MS), {
      clock: systemClock,
      signal,
      delayAfter,
    }).catch(() => {})
  }

  async function connect(connectionTimeoutMillis: number): Promise<void> {
    const options = { ...connectionOptions(url, 'session'), connectionTimeoutMillis }
    const fresh = new pg.Client({ ...options, keepAlive: true })
    client = fresh
    const connection = new SessionConnection(fresh)
    fresh.on('notification', ({ channel, payload = '' }) => {
      for (const known of subscriptions) {
        if (known.channel === channel) known.listener.onNotification(payload)
      }
    })
    try {
      await fresh.connect()
      await fresh.query(`${KEEPALIVE_SQL}; ${BOUND_WAITS_SQL}`)
      for (const subscription of subscriptions) await subscribe(connection, subscription)
      current = connection
    } catch (error) {
      discard(fresh)
      throw error
    }
  }
}

async function subscribe(
  connection: SessionConnection,
  { channel, listener }: { channel: string; listener: NotificationListener },
): Promise<void> {
  await connection.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
  listener.onGap()
}

/** Breaks the connection, without a word that may find no way: what waits for an answer on it fails now. */
function discard(client: pg.Client): void {
  client.connection.stream.destroy()
}
