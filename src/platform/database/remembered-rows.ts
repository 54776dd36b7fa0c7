import type { Notifications } from './instance/notifications.ts'

/**
 * Caches rows until the database notifies of a change by any process. A row may be a moment old: while the connection that
 * listens is replaced no notification comes.
 *
 * @param options.channel Its payload is the key of the changed row, or empty for all rows.
 * @param bounds.rowsMax With more rows the oldest is evicted.
 */
export function createRememberedRows<Row>(
  { notifications, channel }: { notifications: Pick<Notifications, 'listen'>; channel: string },
  { rowsMax }: { rowsMax: number },
) {
  const rows = new Map<string, Row>()
  /** Counts changes: a row that was being read when one came may be old. */
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

  /** Evicts a row. A caller that has changed it sees its own change at once. */
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
