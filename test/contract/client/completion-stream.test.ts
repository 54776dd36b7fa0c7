import { expect, test } from 'vitest'
import {
  type CompletionEvent,
  readCompletion,
} from '../../../src/contract/client/completion-stream.ts'
import { StreamBrokenError } from '../../../src/contract/client/errors.ts'
import {
  chunk,
  RECORDED_EVENTS,
  RECORDED_FINISH,
  RECORDED_TEXT,
  toWire,
} from './recorded-stream.ts'

const FINAL = { finish_reason: 'stop', delta: {} }
const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }

test('readCompletion() yields the same completion wherever its bytes are cut', async () => {
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    const bytes = Buffer.from(toWire(RECORDED_EVENTS, lineEnd))
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { text, events } = await read(bytes.subarray(0, cut), bytes.subarray(cut))
      expect(text).toBe(RECORDED_TEXT)
      expect(events.at(-1)).toEqual(RECORDED_FINISH)
    }
  }
})

test('readCompletion() passes over comments, keep-alives, a byte order mark and unknown fields', async () => {
  const { text, events } = await read(
    '\uFEFF: welcome\n\nretry: 10\nnonsense\nid: 7\nevent: chunk\n',
    `data:${chunk({ delta: { content: 'a', role: 'assistant' }, extra: { deep: [1] }, error: null })}\n\n`,
    ':\n\ndata:\n\n: keep-alive\n\n',
    toWire([chunk({ ...FINAL, usage: USAGE, cost_rub: 1 }), '[DONE]']),
  )

  expect(text).toBe('a')
  expect(events.at(-1)).toMatchObject({ type: 'finish', costMicroRub: 1_000_000n })
})

test('readCompletion() yields the text of the final chunk before finish', async () => {
  const { events } = await read(
    toWire([chunk({ ...FINAL, delta: { content: 'end' }, usage: USAGE, cost_rub: 2 }), '[DONE]']),
  )

  expect(events).toMatchObject([
    { type: 'delta', text: 'end' },
    { type: 'finish', finishReason: 'stop' },
  ])
})

test.each([
  ['no delta', chunk({})],
  ['an empty delta', chunk({ delta: {} })],
  ['null content', chunk({ delta: { content: null } })],
  ['empty content', chunk({ delta: { content: '' } })],
  ['no choices', '{"id":"req_1"}'],
  ['empty choices', '{"choices":[]}'],
])('readCompletion() yields no delta for a chunk with %s', async (_name, data) => {
  const { events } = await read(toWire([data, chunk(FINAL), '[DONE]']))

  expect(events).toMatchObject([{ type: 'finish' }])
})

test('readCompletion() reads the words of a refusal as text, and its end as one', async () => {
  const { text, events } = await read(
    toWire([
      chunk({ delta: { refusal: 'I cannot ' } }),
      chunk({ delta: { content: null, refusal: 'help' } }),
      chunk({ delta: { content: ' you.', refusal: ' you.' } }),
      chunk(FINAL),
      '[DONE]',
    ]),
  )

  expect(text).toBe('I cannot help you.')
  expect(events.at(-1)).toMatchObject({ finishReason: 'refusal' })
})

test('readCompletion() finishes without usage and cost when the service sends none', async () => {
  const { events } = await read(
    toWire([chunk({ ...FINAL, usage: { prompt_tokens: -1 } }), '[DONE]']),
  )

  expect(events.at(-1)).toEqual({
    type: 'finish',
    requestId: 'req_1',
    model: 'alpha-large',
    finishReason: 'stop',
  })
})

test.each([
  ['[DONE] is missing', '\n\n'],
  ['the last empty line is missing', '\n'],
  ['the last line end is missing', ''],
])('readCompletion() takes a stream with its final chunk for whole when %s', async (_name, end) => {
  const { events } = await read(`data: ${chunk({ ...FINAL, usage: USAGE, cost_rub: 1 })}${end}`)

  expect(events.at(-1)).toMatchObject({ type: 'finish', costMicroRub: 1_000_000n })
})

test.each([
  ['the connection fails', new Error('reset')],
  ['an error event comes', toWire(['{"error":{"message":"late"}}'])],
  ['an unreadable event comes', toWire(['{'])],
])('readCompletion() finishes when %s after cost and finish reason', async (_name, end) => {
  const { events } = await read(toWire([chunk({ ...FINAL, usage: USAGE, cost_rub: 1 })]), end)

  expect(events.at(-1)).toMatchObject({ type: 'finish' })
})

test.each([
  ['the connection fails', new Error('reset')],
  ['the stream ends', ''],
  ['[DONE] comes without a finish reason', toWire(['[DONE]'])],
  ['a line is no JSON', toWire(['{"choices":'])],
  ['a line is JSON but no object', toWire(['7'])],
  ['an event is cut off', 'data: {"choices":[{"delta":{"content":"lost"'],
])('readCompletion() is broken, with the text so far, when %s', async (_name, end) => {
  const error = await brokenBy(toWire(RECORDED_EVENTS.slice(0, 3)), end)

  expect(error).toMatchObject({ code: 'stream_broken', text: RECORDED_TEXT })
})

test('readCompletion() is broken when the connection fails between finish reason and cost', async () => {
  const error = await brokenBy(
    toWire([chunk({ delta: { content: 'a' } }), chunk(FINAL)]),
    new Error('reset'),
  )

  expect(error.text).toBe('a')
})

test('readCompletion() is broken by an error event and keeps the words of the service in detail', async () => {
  const error = await brokenBy(
    toWire([chunk({ delta: { content: 'a' } }), '{"error":{"message":"provider went away"}}']),
  )

  expect(error).toMatchObject({ text: 'a', detail: 'provider went away' })
  expect(error.message).not.toContain('provider went away')
})

test('readCompletion() lets go of its source when its reader leaves', async () => {
  let isLeft = false
  async function* source() {
    try {
      yield Buffer.from(toWire(RECORDED_EVENTS))
    } finally {
      isLeft = true
    }
  }

  for await (const event of readCompletion(source())) {
    expect(event.type).toBe('delta')
    break
  }

  expect(isLeft).toBe(true)
})

type Piece = string | Uint8Array | Error

async function read(...pieces: Piece[]): Promise<{ text: string; events: CompletionEvent[] }> {
  const events = await Array.fromAsync(readCompletion(fromPieces(pieces)))
  const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('')
  return { text, events }
}

async function brokenBy(
  ...source: Piece[] | [AsyncIterable<Uint8Array>]
): Promise<StreamBrokenError> {
  const [first] = source
  const bytes =
    typeof first === 'object' && Symbol.asyncIterator in first
      ? first
      : fromPieces(source as Piece[])
  const error = await Array.fromAsync(readCompletion(bytes)).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(StreamBrokenError)
  return error as StreamBrokenError
}

async function* fromPieces(pieces: Piece[]): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece
    yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
}

test('readCompletion() says that the model thinks, and keeps nothing of its thoughts', async () => {
  const { text, events } = await read(
    toWire([
      chunk({ delta: { content: '', reasoning_content: 'Hm' } }),
      chunk({ delta: { content: 'a' } }),
      chunk(FINAL),
      '[DONE]',
    ]),
  )

  expect(text).toBe('a')
  expect(events.map(({ type }) => type)).toEqual(['thought', 'delta', 'finish'])
})
