import { describe, expect, test } from 'vitest'
import { createOpenAiChatProvider } from '../../../src/service/providers/openai-chat.ts'
import {
  DONE,
  delta,
  finish,
  type Scene,
  sends,
  sendsAndHangs,
  startOpenAiServer,
} from './openai-server.ts'

const UNABORTED = new AbortController().signal
const REQUEST = { messages: [{ role: 'user' as const, content: 'hi' }], maxTokens: 64 }

test('a slow reader is not taken for a silent provider', async () => {
  await using server = await startOpenAiServer(sends(delta('a'), delta('b'), finish(), DONE))
  const provider = createOpenAiChatProvider({
    baseUrl: server.baseUrl,
    model: 'm',
    timeouts: { silenceMs: 20 },
  })
  const texts: string[] = []

  for await (const event of provider.stream(REQUEST, UNABORTED)) {
    const until = performance.now() + 40
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
    if (event.type === 'delta') texts.push(event.text)
  }

  expect(texts).toEqual(['a', 'b'])
})

describe('the signal', () => {
  test.each<[string, Scene, number]>([
    ['while nothing has come', () => {}, 0],
    ['between two deltas', sendsAndHangs(delta('a')), 1],
  ])('%s closes the connection and is thrown', async (_, scene, deltas) => {
    const stop = new AbortController()
    const reason = new Error('stopped')
    const arrived = Promise.withResolvers<void>()
    await using server = await startOpenAiServer(async (response, what) => {
      await scene(response, what)
      arrived.resolve()
    })
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })
    const events = provider.stream(REQUEST, stop.signal)[Symbol.asyncIterator]()
    for (let index = 0; index < deltas; index++) await events.next()
    const next = events.next()
    await arrived.promise

    stop.abort(reason)

    await expect(next).rejects.toBe(reason)
    await server.clientLeft
  })

  test('aborted while the reader is busy: nothing that was already read comes any more', async () => {
    const stop = new AbortController()
    const reason = new Error('stopped')
    await using server = await startOpenAiServer(sends(delta('a') + delta('b') + finish() + DONE))
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })
    const events = provider.stream(REQUEST, stop.signal)[Symbol.asyncIterator]()
    await events.next()

    stop.abort(reason)

    await expect(events.next()).rejects.toBe(reason)
  })

  test('aborted beforehand: no request is made', async () => {
    await using server = await startOpenAiServer(sends(finish(), DONE))
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })

    const stream = Array.fromAsync(
      provider.stream(REQUEST, AbortSignal.abort(new Error('stopped'))),
    )

    await expect(stream).rejects.toThrow('stopped')
    expect(server.requestCount()).toBe(0)
  })

  test('a reader that leaves closes the connection too', async () => {
    await using server = await startOpenAiServer(sendsAndHangs(delta('a')))
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })

    for await (const _ of provider.stream(REQUEST, UNABORTED)) break

    await server.clientLeft
  })
})
