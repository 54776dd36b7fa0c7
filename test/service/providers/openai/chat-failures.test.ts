import { describe, expect, test } from 'vitest'
import { EVENT_CHARS_MAX } from '../../../../src/platform/http/event-reader.ts'
import {
  createOpenAiChatProvider,
  type OpenAiChatOptions,
} from '../../../../src/service/providers/openai/chat.ts'
import { ProviderError } from '../../../../src/service/providers/provider.ts'
import { type CollectedEvent, collectEvents } from '../collect-events.ts'
import {
  DONE,
  delta,
  event,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndHangs,
  sendsAndResets,
  startOpenAiServer,
} from '../openai-server.ts'
import { API_KEY, play, REQUEST, UNABORTED } from './chat-fixture.ts'

const LONG_MS = 60_000

const SAID = JSON.stringify({
  error: { message: `secret words, key ${API_KEY}, of ${REQUEST.messages[0]?.content}` },
})

describe('a failure before the first delta', () => {
  test.each([
    ...[400, 413, 422].map((status) => [status, 'rejected'] as const),
    ...[204, 301, 401, 404, 429, 500].map((status) => [status, 'unavailable'] as const),
  ])('of status %i is %s', async (status, code) => {
    const { error } = await playToError(refuses(status, status === 204 ? '' : '{}'))

    expect(error.code).toBe(code)
  })

  test.each([
    [403, 'Your input was flagged'],
    [404, 'No endpoints found that support tool use.'],
  ])('of status %i is rejected if it is about the request: %s', async (status, message) => {
    const { error } = await playToError(refuses(status, JSON.stringify({ error: { message } })))

    expect(error.code).toBe('rejected')
  })

  test.each<[string, unknown, string]>([
    ['that blames the request', { type: 'invalid_request_error' }, 'rejected'],
    ['with a status that blames the request', { code: 400 }, 'rejected'],
    ['with a status that does not', { code: '429' }, 'unavailable'],
    ['that says nothing', {}, 'unavailable'],
    ['that is a text', 'overloaded', 'unavailable'],
  ])('by an error event %s is %s', async (_, problem, code) => {
    const { error, events } = await playToError(sends(event({ error: problem })))

    expect(error.code).toBe(code)
    expect(events).toEqual([])
  })

  test.each<[string, Responder]>([
    ['an end without any event', sends('')],
    [
      'an end after the opening role',
      sends(event({ choices: [{ index: 0, delta: { role: 'assistant' } }] })),
    ],
    ['an answer that is no event stream', refuses(200, '{"choices":[]}')],
    ['a chunk that is no JSON', sends(event('{"choices"'))],
    ['a connection reset before the headers', (response) => response.socket?.resetAndDestroy()],
  ])('by %s is unavailable', async (_, responder) => {
    const { error, events } = await playToError(responder)

    expect(error.code).toBe('unavailable')
    expect(events).toEqual([])
  })

  test('by a closed port is unavailable', async () => {
    const server = await startOpenAiServer()
    await server[Symbol.asyncDispose]()
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })

    const stream = collectEvents(provider, REQUEST, UNABORTED)

    await expect(stream).rejects.toMatchObject({ name: 'ProviderError', code: 'unavailable' })
  })

  test.each<[string, Responder]>([
    ['no headers', () => {}],
    ['headers and comments only', sendsAndHangs(': one\n\n', ': two\n\n')],
  ])('by silence (%s) is unavailable, and the connection is closed', async (_, responder) => {
    await using server = await startOpenAiServer(responder)
    const provider = createOpenAiChatProvider({
      baseUrl: server.baseUrl,
      model: 'm',
      timeouts: { firstByteMs: 20, silenceMs: LONG_MS },
    })

    const stream = collectEvents(provider, REQUEST, UNABORTED)

    await expect(stream).rejects.toMatchObject({ code: 'unavailable' })
    await server.clientLeft
  })
})

describe('a failure after the first delta is broken:', () => {
  test.each<[string, Responder]>([
    ['an end without finish_reason and [DONE]', sends(delta('a'))],
    ['a reset connection', sendsAndResets(delta('a'))],
    ['an error event', sends(delta('a'), event({ error: { message: 'x', code: 400 } }))],
    ['the finish_reason error', sends(delta('a'), finish('error'), DONE)],
    ['a chunk that is no JSON', sends(delta('a'), event('nonsense'), finish(), DONE)],
    [
      'an event without end',
      sendsAndHangs(delta('a'), `data: ${'x'.repeat(EVENT_CHARS_MAX + 65_536)}`),
    ],
  ])('%s', async (_, responder) => {
    const { error, events } = await playToError(responder)

    expect(error.code).toBe('broken')
    expect(events).toEqual([{ type: 'delta', text: 'a' }])
  })

  test('silence, and the connection is closed', async () => {
    await using server = await startOpenAiServer(sendsAndHangs(delta('a'), ': still there\n\n'))
    const provider = createOpenAiChatProvider({
      baseUrl: server.baseUrl,
      model: 'm',
      timeouts: { firstByteMs: LONG_MS, silenceMs: 20 },
    })

    const stream = collectEvents(provider, REQUEST, UNABORTED)

    await expect(stream).rejects.toMatchObject({ code: 'broken' })
    await server.clientLeft
  })
})

test.each<[string, Responder, string]>([
  ['a status', refuses(500, SAID), 'secret words, key [hidden], of [hidden]'],
  ['an event', sends(event(SAID)), 'secret words, key [hidden], of [hidden]'],
  [
    'a broken chunk',
    sends(event(`secret words ${API_KEY}`)),
    'Cannot read answer: not a JSON object',
  ],
])(
  'what the provider says in %s is in the failure alone, without our key and the words of the client',
  async (_, responder, explanation) => {
    const { error } = await playToError(responder, { apiKey: API_KEY })

    expect(error.failure?.explanation).toBe(explanation)
    const { failure: _failure, ...rest } = error
    const shown = [String(error), error.stack, JSON.stringify(rest), String(error.cause)].join()
    expect(shown).not.toContain('secret words')
    expect(shown).not.toContain(API_KEY)
  },
)

test('of a refusal so much is read as is kept, and not longer than it takes', async () => {
  const endless: Responder = (response) => {
    response.writeHead(500)
    response.write('x'.repeat(100_000))
  }

  const { error } = await playToError(endless)

  expect(error.failure).toEqual({ kind: 'overloaded', status: 500, explanation: 'x'.repeat(500) })
})

async function playToError(responder: Responder, options: Partial<OpenAiChatOptions> = {}) {
  const events: CollectedEvent[] = []
  try {
    await play(responder, options, events)
  } catch (error) {
    if (error instanceof ProviderError) return { error, events }
    throw error
  }
  throw new Error('Expected the stream to fail')
}
