import type { Notifications } from './instance/notifications.ts'

export interface RememberedRowsDeps {
  notifications: Pick<Notifications, 'listen'>
  /** The channel of changes: the payload is the key of what changed, or nothing for all of it. */
  channel: string
}

/**
 * Reads once what is read often and seldom changes, and keeps it until the database notifies of a change by any
 * process. For what may be a moment old: while the connection that listens is replaced no notification comes.
 *
 * @param rowsMax Of more than that the oldest are forgotten.
 */
export function createRememberedRows<Row>(
  { notifications, channel }: RememberedRowsDeps,
  { rowsMax }: { rowsMax: number },
) {
  const rows = new Map<string, Row>()
  /** Counts changes: what was being read when something changed may be old. */
  let changes = 0
  let isListening = false
  notifications.listen(channel, {
    onNotification: (key) => {
      if (key !== '') return forget(key)
      changes += 1
      rows.clear()
    },
    onGap: () => {
      changes += 1
      isListening = true
      rows.clear()
    },
  })
  return {
    read,
    forget,
    kept: (key: string) => rows.get(key),
  }

  async function read(key: string, readRow: () => Promise<Row>): Promise<Row> {
    const kept = rows.get(key)
    if (kept !== undefined) return kept
    const before = changes
    const row = await readRow()
    if (isListening && changes === before) keep(key, row)
    return row
  }

  /** Has a row read again. A caller that has changed it sees its own change at once. */
  function forget(key: string): void {
    changes += 1
    rows.delete(key)
  }

  function keep(key: string, row: Row): void {
    const [oldest] = rows.keys()
    if (rows.size >= rowsMax && oldest !== undefined) rows.delete(oldest)
    rows.set(key, row)
  }
}
