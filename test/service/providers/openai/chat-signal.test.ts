import { expect, test } from 'vitest'
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
