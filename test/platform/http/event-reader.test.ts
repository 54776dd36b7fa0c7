import { expect, test } from 'vitest'
import { createEventReader, EVENT_CHARS_MAX } from '../../../src/platform/http/event-reader.ts'

const STREAM = Buffer.from(
  ': comment\r\ndata: привет\r\n\r\nid: 7\ndata: a\ndata: b\n\ndata: end\n\n',
)

test('createEventReader() reads the same events wherever the bytes are cut', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const reader = createEventReader()
    const events = [...reader.read(STREAM.subarray(0, cut)), ...reader.read(STREAM.subarray(cut))]

    expect(events.map(({ data }) => data)).toEqual(['привет', 'a\nb', 'end'])
  }
})

test('createEventReader() reads a last event without its empty line only when it is asked to', () => {
  const reader = createEventReader()

  const events = reader.read(Buffer.from('data: a\n\ndata: b')).map(({ data }) => data)
  const last = reader.readEnd().map(({ data }) => data)

  expect([events, last]).toEqual([['a'], ['b']])
})

test('createEventReader() reports an event that is too long', () => {
  const reader = createEventReader()
  reader.read(Buffer.from(`data: ${'x'.repeat(EVENT_CHARS_MAX - 10)}`))
  const before = reader.isOverfull()

  reader.read(Buffer.from('x'.repeat(20)))

  expect([before, reader.isOverfull()]).toEqual([false, true])
})
