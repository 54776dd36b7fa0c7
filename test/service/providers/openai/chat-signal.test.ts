import { describe, expect, test } from 'vitest'
import { createOpenAiChatProvider } from '../../../../src/service/providers/openai/chat.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  sendsAndHangs,
  startOpenAiServer,
} from '../openai-server.ts'

const UNABORTED = new AbortController().signal
const REQUEST = { messages: [{ role: 'user' as const, content: 'hi' }], maxTokens: 64 }

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

describe('the signal', () => {
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

  test('the signal, aborted while take() waits: nothing that was already read comes any more', async () => {
    const stop = new AbortController()
    const reason = new Error('stopped')
    await using server = await startOpenAiServer(sends(delta('a'), delta('b') + finish() + DONE))
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })
    const taken: string[] = []
    const caughtUp = Promise.withResolvers<void>()

    const streaming = provider.answer(REQUEST, stop.signal, (pieces) => {
      taken.push(...pieces.map(({ text }) => text))
      queueMicrotask(() => stop.abort(reason))
      return caughtUp.promise
    })

    await expect(streaming).rejects.toBe(reason)
    caughtUp.resolve()
    await caughtUp.promise
    expect(taken).toEqual(['a'])
  })

  test('the signal, aborted beforehand: no request is made', async () => {
    await using server = await startOpenAiServer(sends(finish(), DONE))
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })
    const stopped = AbortSignal.abort(new Error('stopped'))

    await expect(provider.answer(REQUEST, stopped, () => undefined)).rejects.toThrow('stopped')

    expect(server.requestCount()).toBe(0)
  })
})

describe('take()', () => {
  test('a slow take() gets what was read before the connection failed, and then the failure', async () => {
    const caughtUp = Promise.withResolvers<void>()
    const connectionFailed = Promise.withResolvers<void>()
    await using server = await startOpenAiServer(async (response, what) => {
      await sendsAndHangs(delta('a') + delta('b'))(response, what)
      response.socket?.once('close', () => connectionFailed.resolve())
      await isBehind.promise
      response.socket?.resetAndDestroy()
    })
    const isBehind = Promise.withResolvers<void>()
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })
    const taken: string[] = []
    const streaming = provider.answer(REQUEST, UNABORTED, (pieces) => {
      taken.push(...pieces.map(({ text }) => text))
      isBehind.resolve()
      return caughtUp.promise
    })
    await connectionFailed.promise

    caughtUp.resolve()

    await expect(streaming).rejects.toMatchObject({ name: 'ProviderError', code: 'broken' })
    expect(taken).toEqual(['a', 'b'])
  })

  test('a take() that fails ends the stream with that failure, and closes the connection', async () => {
    await using server = await startOpenAiServer(sendsAndHangs(delta('a')))
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })
    const failure = new Error('cannot take it')

    const streaming = provider.answer(REQUEST, UNABORTED, () => Promise.reject(failure))

    await expect(streaming).rejects.toBe(failure)
    await server.clientLeft
  })
})
