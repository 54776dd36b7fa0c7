import { expect, test } from 'vitest'
import {
  type CompletionEvent,
  readCompletion,
} from '../../../src/contract/client/completion-stream.ts'
import type { ServiceError } from '../../../src/contract/client/service-error.ts'

/** A completion as the service writes it: two bytes, three bytes, four bytes to a character, then the final chunk. */
const RECORDED_EVENTS = [
  chunk({ delta: { content: 'Привет' } }),
  chunk({ delta: { content: ', 世界 ' } }),
  chunk({ delta: { content: '👋🏽\n"ok"' } }),
  chunk({
    delta: {},
    finish_reason: 'stop',
    usage: { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 },
    cost_rub: 0.0222,
    cost_coins: 0.0222,
  }),
  '[DONE]',
]

const RECORDED_TEXT = 'Привет, 世界 👋🏽\n"ok"'

const RECORDED_FINISH = {
  type: 'finish',
  requestId: 'req_1',
  finishReason: 'stop',
  usage: { promptTokens: 12, completionTokens: 34 },
  costMicroRub: 22_200n,
}

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
  ['null content', chunk({ delta: { content: null } })],
  ['no choices', '{"id":"req_1"}'],
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
    finishReason: 'stop',
  })
})

test.each([
  ['[DONE] is missing', '\n\n'],
  ['the last line end is missing', ''],
])('readCompletion() takes a stream with its final chunk for whole when %s', async (_name, end) => {
  const { events } = await read(`data: ${chunk({ ...FINAL, usage: USAGE, cost_rub: 1 })}${end}`)

  expect(events.at(-1)).toMatchObject({ type: 'finish', costMicroRub: 1_000_000n })
})

test.each([
  ['the connection fails', new Error('reset')],
  ['an error event comes', toWire(['{"error":{"message":"late"}}'])],
])('readCompletion() finishes when %s after cost and finish reason', async (_name, end) => {
  const { events } = await read(toWire([chunk({ ...FINAL, usage: USAGE, cost_rub: 1 })]), end)

  expect(events.at(-1)).toMatchObject({ type: 'finish' })
})

test.each([
  ['the connection fails', new Error('reset')],
  ['the stream ends', ''],
  ['[DONE] comes without a finish reason', toWire(['[DONE]'])],
  ['a line is no JSON', toWire(['{"choices":'])],
  ['an event is cut off', 'data: {"choices":[{"delta":{"content":"lost"'],
])('readCompletion() is broken when %s', async (_name, end) => {
  await brokenBy(toWire(RECORDED_EVENTS.slice(0, 3)), end)
})

test('readCompletion() is broken when the connection fails between finish reason and cost', async () => {
  await brokenBy(toWire([chunk({ delta: { content: 'a' } }), chunk(FINAL)]), new Error('reset'))
})

test('readCompletion() is broken by an error event and keeps the words of the service in detail', async () => {
  const error = await brokenBy(
    toWire([chunk({ delta: { content: 'a' } }), '{"error":{"message":"provider went away"}}']),
  )

  expect(error.detail).toBe('provider went away')
  expect(error.message).not.toContain('provider went away')
})

test('readCompletion() reports that the model thinks without its thoughts', async () => {
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

type Piece = string | Uint8Array | Error

async function read(...pieces: Piece[]): Promise<{ text: string; events: CompletionEvent[] }> {
  const events = await Array.fromAsync(readCompletion(fromPieces(pieces)))
  const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('')
  return { text, events }
}

async function brokenBy(...pieces: Piece[]): Promise<ServiceError> {
  const error = await read(...pieces).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'ServiceError', code: 'stream_broken' })
  return error as ServiceError
}

async function* fromPieces(pieces: Piece[]): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece
    yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
}

/** The data of one chunk; fields that belong to the choice go there. */
function chunk({
  delta,
  finish_reason = null,
  ...rest
}: {
  delta?: Record<string, unknown>
  finish_reason?: string | null
  [field: string]: unknown
}): string {
  return JSON.stringify({
    id: 'req_1',
    object: 'chat.completion.chunk',
    model: 'alpha-large',
    choices: [{ index: 0, ...(delta && { delta }), finish_reason }],
    ...rest,
  })
}

/** Events on the wire. */
function toWire(events: readonly string[], lineEnd = '\n'): string {
  return events.map((data) => `data: ${data}${lineEnd}${lineEnd}`).join('')
}
