import type { Message } from 'grammy/types'
import { expect, test } from 'vitest'
import { createRowReader, type Row } from '../../../src/playground/page/messages/rows.ts'
import type { WireMessage } from '../../../src/playground/web/api.ts'

const ME = 5
const BOT = 7

/** Noon by the clock of this machine, as a reader's days are. */
const NOON = new Date(2026, 10, 23, 12).getTime() / 1000

test('messages of one author within a minute stand together, those of others and later ones do not', () => {
  const rows = createRowReader().read(
    [sent(1, BOT, NOON), sent(2, BOT, NOON + 60), sent(3, ME, NOON + 61), sent(4, ME, NOON + 200)],
    ME,
  )

  expect(bubblesOf(rows)).toEqual([
    { ids: [1], isOwn: false, isFirst: true, isLast: false },
    { ids: [2], isOwn: false, isFirst: false, isLast: true },
    { ids: [3], isOwn: true, isFirst: true, isLast: true },
    { ids: [4], isOwn: true, isFirst: true, isLast: true },
  ])
})

test('each day begins with its name, and messages of two days never stand together', () => {
  const midnight = new Date(2026, 10, 24).getTime() / 1000
  const rows = createRowReader().read([sent(1, BOT, midnight - 1), sent(2, BOT, midnight)], ME)

  expect(rows.map(({ type }) => type)).toEqual(['day', 'bubble', 'day', 'bubble'])
})

test('an album is one bubble', () => {
  const rows = createRowReader().read(
    [
      sent(1, BOT, NOON, { media_group_id: 'a' }),
      sent(2, BOT, NOON, { media_group_id: 'a' }),
      sent(3, BOT, NOON, { media_group_id: 'b' }),
    ],
    ME,
  )

  expect(bubblesOf(rows).map(({ ids }) => ids)).toEqual([[1, 2], [3]])
})

test('an edit and older messages leave all other rows the same objects', () => {
  const reader = createRowReader()
  const messages = Array.from({ length: 200 }, (_, index) => sent(index + 1, BOT, NOON))
  const before = new Set(reader.read(messages.slice(100), ME))

  const after = reader.read(messages.with(199, sent(200, BOT, NOON, { text: 'edited' })), ME)

  const changed = after.slice(101).filter((row) => !before.has(row))
  expect(changed.map(({ key }) => key)).toEqual(['message 101', 'message 200'])
})

function sent(id: number, userId: number, date: number, more: object = {}): WireMessage {
  const from = { id: userId, is_bot: userId === BOT, first_name: 'Ada' }
  const chat = { id: ME, type: 'private', first_name: 'Ada' } as const
  const message = { message_id: id, date, from, chat, text: `${id}`, ...more }
  return { message: message as unknown as Message }
}

function bubblesOf(rows: readonly Row[]) {
  return rows.flatMap((row) => {
    if (row.type !== 'bubble') return []
    const { isOwn, isFirst, isLast } = row
    return [{ ids: row.wires.map(({ message }) => message.message_id), isOwn, isFirst, isLast }]
  })
}
