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
