import type { Session } from './session.ts'

export interface NotificationListener {
  onNotification(payload: string): void
  /** The connection is new: notifications may have been missed before. */
  onGap(): void
}

/** What other processes tell this one by `NOTIFY`. */
export interface Notifications {
  /** Has the listener told of what comes on a channel, from its first `onGap()` until the session is closed. */
  listen(channel: string, listener: NotificationListener): void
}

export function createNotifications(session: Pick<Session, 'onConnect'>): Notifications {
  return {
    listen(channel, { onNotification, onGap }) {
      void session.onConnect(async (client) => {
        client.on('notification', (message) => {
          if (message.channel === channel) onNotification(message.payload ?? '')
        })
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
        onGap()
      })
    },
  }
}
