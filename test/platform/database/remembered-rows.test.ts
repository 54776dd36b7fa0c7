import { expect, test } from 'vitest'
import type { NotificationListener } from '../../../src/platform/database/instance/notifications.ts'
import { createRememberedRows } from '../../../src/platform/database/remembered-rows.ts'

test('a row is read once, and again when it is notified that it changed, or that all did', async () => {
  const { rows, listener, reads, read } = remember()
  listener.onGap()

  await read('7')
  await read('7')
  await read('8')
  expect(reads).toEqual(['7', '8'])

  listener.onNotification('7')
  await read('7')
  await read('8')
  expect(reads).toEqual(['7', '8', '7'])

  listener.onNotification('')
  expect(await rows.read('8', async () => 'new')).toBe('new')
})

// Promise: A change of what processes keep in memory comes while they do not listen, or while they read it
test('nothing is kept before changes are notified, and all is read again once they were maybe not', async () => {
  const { listener, reads, read } = remember()

  await read('7')
  await read('7')
  listener.onGap()
  await read('7')
  listener.onGap()
  await read('7')

  expect(reads).toEqual(['7', '7', '7', '7'])
})

// Promise: A change of what processes keep in memory comes while they do not listen, or while they read it
test('what was read while something changed is not kept', async () => {
  const { rows, listener, reads, read } = remember()
  listener.onGap()

  await rows.read('7', async () => {
    listener.onNotification('7')
    return 'old'
  })

  await read('7')
  expect(reads).toEqual(['7'])
})

test('of more rows than it may keep the oldest is forgotten', async () => {
  const { listener, reads, read } = remember({ rowsMax: 2 })
  listener.onGap()

  for (const key of ['7', '8', '9', '9', '7']) await read(key)

  expect(reads).toEqual(['7', '8', '9', '7'])
})

function remember({ rowsMax = 10 } = {}) {
  const listeners: NotificationListener[] = []
  const notifications = {
    listen: (_channel: string, listener: NotificationListener) => void listeners.push(listener),
  }
  const rows = createRememberedRows<string>({ notifications, channel: 'rows' }, { rowsMax })
  const [listener] = listeners
  if (listener === undefined) throw new Error('It does not listen')
  const reads: string[] = []
  const read = (key: string) =>
    rows.read(key, async () => {
      reads.push(key)
      return `row ${key}`
    })
  return { rows, listener, reads, read }
}
