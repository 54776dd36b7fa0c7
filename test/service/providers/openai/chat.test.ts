import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createOpenAiChatProvider } from '../../../../src/service/providers/openai/chat.ts'
import { sendJson, startServer } from '../../../platform/http/local-server.ts'
import { answerPlain, collectEvents } from '../collect-events.ts'
import {
  DONE,
  delta,
  event,
  finish,
  type Responder,
  sends,
  sendsAndHangs,
  sendsAndResets,
  startOpenAiServer,
} from '../openai-server.ts'
import { API_KEY, play, REQUEST, UNABORTED } from './chat-fixture.ts'

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }

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

  test('may come as one JSON body, whatever its type says', async () => {
    const message = { role: 'assistant', content: '<think>Hm.</think>Hello' }
    const body = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }

    const events = await play((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`\ufeff\n${JSON.stringify(body)}`)
    })

    expect(events).toEqual([
      { type: 'delta', text: 'Hello', reasoning: 'Hm.' },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: { promptTokens: 11, completionTokens: 7 },
      },
    ])
  })

  test('may have empty events, a last event without its empty line, and words held back', async () => {
    const last = event({ choices: [{ delta: { content: '<thi' }, finish_reason: 'stop' }] })

    const events = await play(sends('data:\n\ndata: \n\n', delta('\n'), last.trimEnd()))

    expect(events).toEqual([
      { type: 'delta', text: '\n<thi' },
      { type: 'finish', finishReason: 'stop' },
    ])
  })
})

test('a slow reader is not taken for a silent provider', async () => {
  await using server = await startOpenAiServer(sends(delta('a'), delta('b'), finish(), DONE))
  const provider = createOpenAiChatProvider({
    baseUrl: server.baseUrl,
    model: 'm',
    timeouts: { silenceMs: 200 },
  })
  const texts: string[] = []

  const { finishReason } = await provider.answer(REQUEST, UNABORTED, async (pieces) => {
    const until = performance.now() + 300
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
    texts.push(...pieces.map(({ text }) => text))
  })

  expect(texts).toEqual(['a', 'b'])
  expect(finishReason).toBe('stop')
})

test.each<[string, Responder]>([
  ['while nothing has come', () => {}],
  ['between two deltas', sendsAndHangs(delta('a'))],
])('the signal %s closes the connection and is thrown', async (_, responder) => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const arrived = Promise.withResolvers<void>()
  await using server = await startOpenAiServer(async (response, what) => {
    await responder(response, what)
    if (!response.headersSent) arrived.resolve()
  })
  const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })
  const streaming = provider.answer(REQUEST, stop.signal, () => {
    arrived.resolve()
    return undefined
  })
  await arrived.promise

  stop.abort(reason)

  await expect(streaming).rejects.toBe(reason)
  await server.clientLeft
})

const ANSWER = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
/** Node would say by itself how long it keeps a connection, and be taken at its word. */
const SAYS_NOT_HOW_LONG = { connection: 'keep-alive' }

test('the connection of one answer is there for the next, 45 s later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { baseUrl, requests, connections } = await startServer((response) =>
    sendJson(response, 200, ANSWER, SAYS_NOT_HOW_LONG),
  )
  const provider = createOpenAiChatProvider({ baseUrl, model: 'm' })

  await answerPlain(provider, REQUEST, UNABORTED)
  await vi.advanceTimersByTimeAsync(45_000)
  await answerPlain(provider, REQUEST, UNABORTED)

  expect(requests).toHaveLength(2)
  expect(connections()).toBe(1)
})
