import type { Session } from './session.ts'

export interface NotificationListener {
  onNotification(payload: string): void
  /** The connection is new: notifications may have been missed before. */
  onGap(): void
}

export type Notifications = ReturnType<typeof createNotifications>

/** Hands on the notifications (`NOTIFY`) of other processes. */
export function createNotifications(session: Pick<Session, 'onConnect'>) {
  return { listen }

  /** Calls the listener with what comes on a channel, from its first `onGap()` until the session is closed. */
  function listen(channel: string, { onNotification, onGap }: NotificationListener): void {
    void session.onConnect(async (client) => {
      client.on('notification', (message) => {
        if (message.channel === channel) onNotification(message.payload ?? '')
      })
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
      onGap()
    })
  }
}
