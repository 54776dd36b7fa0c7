import { Agent } from 'undici'
import { describe, expect, test } from 'vitest'
import { EVENT_CHARS_MAX } from '../../../../src/http/event-reader.ts'
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

const UNABORTED = new AbortController().signal
const REQUEST = { messages: [{ role: 'user' as const, content: 'hi' }], maxTokens: 64 }
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
/** Longer than any test. */
const LONG_MS = 60_000
const API_KEY = 'sk-never-shown'

describe('a whole answer', () => {
  test('is its deltas in order and one finish with the usage', async () => {
    const events = await play(
      sends(
        event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
        delta('Hel'),
        delta('lo'),
        finish(),
        event({ choices: [], usage: USAGE }),
        DONE,
      ),
    )

    expect(events).toEqual([
      { type: 'delta', text: 'Hel' },
      { type: 'delta', text: 'lo' },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: { promptTokens: 11, completionTokens: 7 },
      },
    ])
  })

  test('is asked for as the protocol wants it', async () => {
    let asked: Parameters<Responder>[1] | undefined
    const responder: Responder = (response, what) => {
      asked = what
      return sends(finish(), DONE)(response, what)
    }

    await play(responder, { apiKey: API_KEY, model: 'upstream-name' })

    expect(asked?.url).toBe('/v1/chat/completions')
    expect(asked?.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
    })
    expect(asked?.body).toEqual({
      model: 'upstream-name',
      messages: REQUEST.messages,
      max_tokens: 64,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('sends no authorization without a key', async () => {
    let headers: unknown
    const responder: Responder = (response, what) => {
      headers = what.headers
      return sends(finish())(response, what)
    }

    await play(responder)

    expect(headers).not.toHaveProperty('authorization')
  })

  test('is the same wherever its bytes are cut: UTF-8, comments, CRLF, several data lines', async () => {
    const bytes = Buffer.from(
      [
        '\ufeff: keep-alive\r\n\r\n',
        delta('Привет 😀').replaceAll('\n', '\r\n'),
        'event: message\ndata: {"choices":[{"index":0,\ndata: "delta":{"content":"日本"}}]}\n\n',
        ':\n',
        finish('length').replaceAll('\n', '\r'),
        event({ choices: [], usage: USAGE }),
        DONE,
      ].join(''),
    )
    const responders = Array.from({ length: bytes.length + 1 }, (_, offset) =>
      sends(bytes.subarray(0, offset), bytes.subarray(offset)),
    )
    await using server = await startOpenAiServer(...responders)
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })

    for (let offset = 0; offset <= bytes.length; offset++) {
      const events = await collectEvents(provider, REQUEST, UNABORTED)

      expect(events, `cut at ${offset}`).toEqual([
        { type: 'delta', text: 'Привет 😀' },
        { type: 'delta', text: '日本' },
        {
          type: 'finish',
          finishReason: 'length',
          usage: { promptTokens: 11, completionTokens: 7 },
        },
      ])
    }
  })

  test.each<[string, string[]]>([
    ['without [DONE]', [delta('a'), finish()]],
    ['whose connection fails after finish_reason', [delta('a'), finish()]],
  ])('may end %s', async (how, parts) => {
    const events = await play(
      how.startsWith('without') ? sends(...parts) : sendsAndResets(...parts),
    )

    expect(events.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' })
  })

  test('may stay silent after finish_reason', async () => {
    const events = await play(sendsAndHangs(delta('a') + finish()), { timeouts: { silenceMs: 20 } })

    expect(events.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' })
  })

  test('may give no finish_reason before [DONE]', async () => {
    expect(await play(sends(delta('a'), DONE))).toEqual([
      { type: 'delta', text: 'a' },
      { type: 'finish', finishReason: 'stop' },
    ])
  })

  test('ends at [DONE], also while the connection stays open', async () => {
    expect(await play(sendsAndHangs(delta('a'), finish(), DONE))).toHaveLength(2)
  })

  test('leaves its connection to the next one', async () => {
    const ports: unknown[] = []
    await using server = await startOpenAiServer((response, what) => {
      ports.push(response.socket?.remotePort)
      return sends(delta('a'), finish(), DONE)(response, what)
    })
    const provider = createOpenAiChatProvider({
      baseUrl: server.baseUrl,
      model: 'm',
      dispatcher: new Agent({ connections: 1 }),
    })

    for (let turn = 0; turn < 3; turn++) await collectEvents(provider, REQUEST, UNABORTED)

    expect(new Set(ports).size).toBe(1)
  })

  test('may hold no text at all', async () => {
    expect(await play(sends(finish(), DONE))).toEqual([{ type: 'finish', finishReason: 'stop' }])
  })

  test('passes over reasoning, null contents and other choices', async () => {
    const events = await play(
      sends(
        event({ choices: [{ index: 0, delta: { reasoning_content: 'hm', content: null } }] }),
        event({
          choices: [
            { index: 0, delta: { content: 'a' } },
            { index: 1, delta: { content: 'b' } },
          ],
        }),
        event({ object: 'ping' }),
        finish(),
      ),
    )

    expect(events).toEqual([
      { type: 'delta', text: 'a' },
      { type: 'finish', finishReason: 'stop' },
    ])
  })
})

describe('usage', () => {
  const running = (completion_tokens: number) =>
    event({
      choices: [{ index: 0, delta: { content: 'a' } }],
      usage: { ...USAGE, completion_tokens },
    })

  test.each<[string, string[], unknown]>([
    [
      'of every chunk is a running total: the last wins',
      [running(1), running(5), finish()],
      { promptTokens: 11, completionTokens: 5 },
    ],
    [
      'beside finish_reason counts',
      [event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE })],
      { promptTokens: 11, completionTokens: 7 },
    ],
    [
      'of explicit zero is zero',
      [finish(), event({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } })],
      { promptTokens: 0, completionTokens: 0 },
    ],
    ['that never comes is missing', [finish()], undefined],
    ['of null is missing', [event({ choices: [], usage: null }), finish()], undefined],
    [
      'of null later leaves what came before',
      [
        running(5),
        event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }),
      ],
      { promptTokens: 11, completionTokens: 5 },
    ],
    [
      'without both counts is missing',
      [finish(), event({ choices: [], usage: { prompt_tokens: 3 } })],
      undefined,
    ],
  ])('%s', async (_, parts, usage) => {
    const events = await play(sends(...parts, DONE))

    expect(events.at(-1)).toEqual({
      type: 'finish',
      finishReason: 'stop',
      ...(usage !== undefined && { usage }),
    })
  })

  test.each([
    ['-1', -1],
    ['1.5', 1.5],
    ['1e400', Infinity],
    ['9007199254740993', 2 ** 53],
    ['"7"', Number.NaN],
    ['true', Number.NaN],
    ['[7]', Number.NaN],
  ])('of %s tokens is told as it is: the answer is whole', async (count, completionTokens) => {
    const usage = `{"prompt_tokens":11,"completion_tokens":${count}}`

    const events = await play(
      sends(delta('a'), finish(), event(`{"choices":[],"usage":${usage}}`), DONE),
    )

    expect(events.at(-1)).toEqual({
      type: 'finish',
      finishReason: 'stop',
      usage: { promptTokens: 11, completionTokens },
    })
  })
})

describe('a failure before the first delta', () => {
  test.each([
    ...[400, 406, 413, 415, 422, 451].map((status) => [status, 'rejected'] as const),
    ...[401, 402, 403, 404, 408, 425, 429].map((status) => [status, 'unavailable'] as const),
    ...[204, 301, 500, 502, 503, 529].map((status) => [status, 'unavailable'] as const),
  ])('of status %i is %s', async (status, code) => {
    const { error } = await playToError(refuses(status, status === 204 ? '' : '{}'))

    expect(error.code).toBe(code)
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
    ['a chunk that is no object', sends(event('[]'))],
    ['a content that is no text', sends(event({ choices: [{ delta: { content: 1 } }] }))],
    ['a connection reset before the headers', (response) => response.socket?.resetAndDestroy()],
    ['a connection reset after the headers', sendsAndResets()],
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
    ['headers and nothing else', sendsAndHangs()],
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
    ['an end inside an event', sends(delta('a'), finish().slice(0, -4))],
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

test.each<[string, Responder]>([
  ['a status', refuses(400, `{"error":{"message":"secret words, key ${API_KEY}"}}`)],
  ['an event', sends(event({ error: { message: `secret words, key ${API_KEY}` } }))],
  ['a broken chunk', sends(event(`secret words ${API_KEY}`))],
])(
  'what the provider says in %s is in no message, cause or field of the error',
  async (_, responder) => {
    const { error } = await playToError(responder, { apiKey: API_KEY })

    const told: string[] = []
    for (let link: unknown = error; link instanceof Error; link = link.cause) {
      told.push(String(link), link.stack ?? '', JSON.stringify(link))
    }
    expect(told.length).toBeGreaterThan(3)
    expect(told.join()).not.toContain('secret words')
    expect(told.join()).not.toContain(API_KEY)
  },
)

async function play(responder: Responder, options: Partial<OpenAiChatOptions> = {}) {
  await using server = await startOpenAiServer(responder)
  const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm', ...options })
  return await collectEvents(provider, REQUEST, UNABORTED)
}

/** Plays a responder that must fail, and tells what came before. */
async function playToError(responder: Responder, options: Partial<OpenAiChatOptions> = {}) {
  await using server = await startOpenAiServer(responder)
  const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm', ...options })
  const events: CollectedEvent[] = []
  try {
    await collectEvents(provider, REQUEST, UNABORTED, events)
  } catch (error) {
    if (error instanceof ProviderError) return { error, events }
    throw error
  }
  throw new Error('Expected the stream to fail')
}
