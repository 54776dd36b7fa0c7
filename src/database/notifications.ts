import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'

const RECONNECT_INTERVAL_MS = 1000

export interface NotificationListener {
  onNotification(payload: string): void
  /** Notifications may have been missed: the connection is new. */
  onGap(): void
}

/** What other processes tell this one by `NOTIFY`, over one connection for all channels. */
export interface Notifications {
  /** To be called before `start()`. A channel has one listener. */
  listen(channel: string, listener: NotificationListener): void
  /** Connects in the background and again whenever the connection broke. */
  start(): void
  /** Gives the connection back. Safe to repeat. */
  stop(): Promise<void>
}

export interface NotificationsDeps {
  /** One of its connections is kept; it must not go through a transaction pooler. */
  pool: Pool
  onError: (error: unknown) => void
}

export function createNotifications({ pool, onError }: NotificationsDeps): Notifications {
  const listeners = new Map<string, NotificationListener>()
  const stopping = new AbortController()
  const { signal } = stopping
  let listening = Promise.resolve()
  return {
    listen: (channel, listener) => void listeners.set(channel, listener),
    start: () => {
      listening = keepListening()
    },
    stop: () => {
      stopping.abort()
      return listening
    },
  }

  async function keepListening(): Promise<void> {
    while (!signal.aborted) {
      try {
        await listenUntilBroken()
      } catch (error) {
        if (signal.aborted) return
        onError(error)
        // Stopping is what the wait is aborted for.
        await delay(RECONNECT_INTERVAL_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  async function listenUntilBroken(): Promise<void> {
    const client = await pool.connect()
    try {
      const ended = untilEnded(client)
      client.on('notification', ({ channel, payload = '' }) =>
        listeners.get(channel)?.onNotification(payload),
      )
      for (const channel of listeners.keys()) {
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
      }
      for (const { onGap } of listeners.values()) onGap()
      await ended
    } finally {
      // Nobody else shall hear what this connection listens to.
      client.release(true)
    }
  }

  /** Resolves when this process stops. */
  function untilEnded(client: PoolClient): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    client.once('error', reject)
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    // A query may hear of the break first.
    promise.catch(() => {})
    return promise
  }
}
