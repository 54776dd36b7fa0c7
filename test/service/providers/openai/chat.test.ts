import { Agent } from 'undici'
import { describe, expect, test } from 'vitest'
import { createOpenAiChatProvider } from '../../../../src/service/providers/openai/chat.ts'
import { collectEvents } from '../collect-events.ts'
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
  usage,
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

  test('is asked for with the query that its base URL has', async () => {
    let url: string | undefined
    await using server = await startOpenAiServer((response, what) => {
      url = what.url
      return sends(finish(), DONE)(response, what)
    })
    const baseUrl = `${server.baseUrl}/deployments/d/?api-version=2026-01-01`

    await collectEvents(createOpenAiChatProvider({ baseUrl, model: 'm' }), REQUEST, UNABORTED)

    expect(url).toBe('/v1/deployments/d/chat/completions?api-version=2026-01-01')
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

  test('hands on thoughts, and passes over null contents and other choices', async () => {
    const events = await play(
      sends(
        event({ choices: [{ index: 0, delta: { reasoning_content: 'hm', content: null } }] }),
        event({ choices: [{ index: 0, delta: { reasoning: 'so', content: '' } }] }),
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
      { type: 'delta', text: '', reasoning: 'hm' },
      { type: 'delta', text: '', reasoning: 'so' },
      { type: 'delta', text: 'a' },
      { type: 'finish', finishReason: 'stop' },
    ])
  })
})

describe('usage', () => {
  const usageWith = (fields: string) =>
    event(`{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,${fields}}}`)
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
    ['of explicit zero is zero', [finish(), usage(0, 0)], { promptTokens: 0, completionTokens: 0 }],
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
    [
      'tells what was cached as OpenAI does',
      [finish(), usageWith('"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":8}')],
      { promptTokens: 11, cachedTokens: 8, completionTokens: 7 },
    ],
    [
      'tells what was cached as DeepSeek does',
      [finish(), usageWith('"prompt_cache_hit_tokens":8,"prompt_cache_miss_tokens":3')],
      { promptTokens: 11, cachedTokens: 8, completionTokens: 7 },
    ],
    [
      'tells what was cached in both ways, and OpenAI’s counts',
      [
        finish(),
        usageWith('"prompt_cache_hit_tokens":8,"prompt_tokens_details":{"cached_tokens":0}'),
      ],
      { promptTokens: 11, cachedTokens: 0, completionTokens: 7 },
    ],
    [
      'says nothing of what was cached',
      [finish(), usageWith('"prompt_cache_hit_tokens":null,"prompt_tokens_details":null')],
      { promptTokens: 11, completionTokens: 7 },
    ],
    [
      'tells what was cached in words',
      [finish(), usageWith('"prompt_tokens_details":{"cached_tokens":"8"}')],
      { promptTokens: 11, cachedTokens: Number.NaN, completionTokens: 7 },
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
  ])('of %s tokens is passed on as it is: the answer is whole', async (count, completionTokens) => {
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
