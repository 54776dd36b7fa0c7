import type { Message } from 'grammy/types'
import { expect, test } from 'vitest'
import {
  type Chunk,
  createRowReader,
  lastBubbleKey,
} from '../../../../src/playground/page/messages/bubble/rows.ts'
import type { WireMessage } from '../../../../src/playground/web/api.ts'

const ME = 5
const BOT = 7

/** Noon by the clock of this machine, as a reader's days are. */
const NOON = new Date(2026, 10, 23, 12).getTime() / 1000

test('messages of one author within a minute stand together, those of others and later ones do not', () => {
  const chunks = createRowReader().read(
    [sent(1, BOT, NOON), sent(2, BOT, NOON + 60), sent(3, ME, NOON + 61), sent(4, ME, NOON + 200)],
    ME,
  )

  expect(bubblesOf(chunks)).toEqual([
    { ids: [1], isOwn: false, isFirst: true, isLast: false },
    { ids: [2], isOwn: false, isFirst: false, isLast: true },
    { ids: [3], isOwn: true, isFirst: true, isLast: true },
    { ids: [4], isOwn: true, isFirst: true, isLast: true },
  ])
})

test('each day begins with its name, and messages of two days never stand together', () => {
  const midnight = new Date(2026, 10, 24).getTime() / 1000
  const chunks = createRowReader().read([sent(1, BOT, midnight - 1), sent(2, BOT, midnight)], ME)

  expect(rowsOf(chunks).map(({ type }) => type)).toEqual(['day', 'bubble', 'day', 'bubble'])
})

test('an album is one bubble', () => {
  const chunks = createRowReader().read(
    [
      sent(1, BOT, NOON, { media_group_id: 'a' }),
      sent(2, BOT, NOON, { media_group_id: 'a' }),
      sent(3, BOT, NOON, { media_group_id: 'b' }),
    ],
    ME,
  )

  expect(bubblesOf(chunks).map(({ ids }) => ids)).toEqual([[1, 2], [3]])
})

test('a service message is no bubble, and parts those around it', () => {
  const pinned = { text: undefined, pinned_message: sent(1, BOT, NOON).message }
  const chunks = createRowReader().read(
    [sent(1, BOT, NOON), sent(2, BOT, NOON, pinned), sent(3, BOT, NOON)],
    ME,
  )

  expect(rowsOf(chunks).map(({ type }) => type)).toEqual(['day', 'bubble', 'service', 'bubble'])
  expect(bubblesOf(chunks).every(({ isFirst, isLast }) => isFirst && isLast)).toBe(true)
})

test('an edit makes a new row and chunk of what was edited, and leaves all others the same objects', () => {
  const reader = createRowReader()
  const messages = Array.from({ length: 200 }, (_, index) => sent(index + 1, BOT, NOON))
  const before = reader.read(messages, ME)

  const after = reader.read(messages.with(199, sent(200, BOT, NOON, { text: 'edited' })), ME)

  const changed = after.filter((chunk, index) => chunk !== before[index])
  expect(changed).toHaveLength(1)
  const knownRows = new Set(rowsOf(before))
  expect(rowsOf(changed).filter((row) => !knownRows.has(row))).toHaveLength(1)
})

test('older messages in front leave the chunks that were there the same objects, but for the first', () => {
  const reader = createRowReader()
  const messages = Array.from({ length: 200 }, (_, index) => sent(index + 1, BOT, NOON))
  const before = reader.read(messages.slice(100), ME)

  const after = reader.read(messages, ME)

  expect(before.slice(1).every((chunk) => after.includes(chunk))).toBe(true)
})

test('the last message is known, also before a service message', () => {
  const pinned = { text: undefined, pinned_message: sent(1, BOT, NOON).message }
  const reader = createRowReader()

  expect(lastBubbleKey(reader.read([], ME))).toBeUndefined()
  expect(lastBubbleKey(reader.read([sent(1, BOT, NOON), sent(2, BOT, NOON, pinned)], ME))).toBe(
    'message 1',
  )
})

function sent(id: number, userId: number, date: number, more: object = {}): WireMessage {
  const from = { id: userId, is_bot: userId === BOT, first_name: 'Ada' }
  const chat = { id: ME, type: 'private', first_name: 'Ada' } as const
  const message = { message_id: id, date, from, chat, text: `${id}`, ...more }
  return { message: message as unknown as Message, reactions: [] }
}

function rowsOf(chunks: readonly Chunk[]) {
  return chunks.flatMap(({ rows }) => rows)
}

function bubblesOf(chunks: readonly Chunk[]) {
  return rowsOf(chunks).flatMap((row) => {
    if (row.type !== 'bubble') return []
    const { isOwn, isFirst, isLast } = row
    return [{ ids: row.wires.map(({ message }) => message.message_id), isOwn, isFirst, isLast }]
  })
}
