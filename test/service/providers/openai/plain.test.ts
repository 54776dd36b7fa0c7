import { describe, expect, test } from 'vitest'
import type { ProviderFailure } from '../../../../src/service/providers/failure.ts'
import { BODY_BYTES_MAX } from '../../../../src/service/providers/openai/answer.ts'
import {
  createOpenAiChatProvider,
  type OpenAiChatOptions,
  toPlainMs,
} from '../../../../src/service/providers/openai/chat.ts'
import { answerPlain } from '../collect-events.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sendsAndHangs,
  sendsAndResets,
  startOpenAiServer,
  usage,
} from '../openai-server.ts'
import { REQUEST, UNABORTED } from './chat-fixture.ts'

const MESSAGE = { role: 'assistant', content: 'Привет 😀' }
const STOPPED = { choices: [{ index: 0, message: MESSAGE, finish_reason: 'stop' }] }
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }

describe('a plain answer', () => {
  test('has its text, its thoughts, why it ended and the usage', async () => {
    const message = { ...MESSAGE, reasoning_content: 'hm' }
    const body = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }

    expect(await playPlain(answers(body))).toMatchObject({
      answer: { text: 'Привет 😀', reasoning: 'hm' },
      finishReason: 'stop',
      usage: { promptTokens: 11, completionTokens: 7 },
    })
  })

  test('may come as events', async () => {
    const events = `${delta('Hel')}${delta('lo')}${finish('length')}${usage(11, 7)}${DONE}`

    expect(await playPlain((response) => response.end(events))).toMatchObject({
      answer: { text: 'Hello' },
      finishReason: 'length',
      usage: { promptTokens: 11, completionTokens: 7 },
    })
  })

  test('is the same wherever its bytes are cut, with a mark before and spaces around', async () => {
    const bytes = Buffer.from(`\ufeff\n ${JSON.stringify(STOPPED)}\r\n`)
    const cut = (offset: number): Responder => {
      return async (response) => {
        response.writeHead(200)
        await new Promise((resolve) => response.write(bytes.subarray(0, offset), resolve))
        response.end(bytes.subarray(offset))
      }
    }
    const offsets = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
    await using server = await startOpenAiServer(...offsets.map(cut))
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm' })

    for (const offset of offsets) {
      const answer = await answerPlain(provider, REQUEST, UNABORTED)

      expect(answer, `cut at ${offset}`).toMatchObject({
        answer: { text: 'Привет 😀' },
        finishReason: 'stop',
      })
    }
  })
})

test.each([
  [1, 120_060],
  [4096, 120_000 + 4.096 * 60_000],
  [100_000, 600_000],
])('a plain answer of up to %i tokens has %i ms', (maxTokens, ms) => {
  expect(toPlainMs({ firstByteMs: 120_000, silenceMs: 60_000 }, maxTokens)).toBe(ms)
})

describe('a plain answer fails', () => {
  test.each<[string, Responder, string, Partial<ProviderFailure>]>([
    ['refused for its request', refuses(400, '{}'), 'rejected', { kind: 'refused', status: 400 }],
    ['without a body', refuses(200, ''), 'unavailable', { kind: 'malformed' }],
    ['that is a page', refuses(200, '<html>'), 'unavailable', { kind: 'malformed' }],
    ['without choices', answers({ choices: [] }), 'unavailable', { kind: 'malformed' }],
    ['of an error', answers({ error: { code: 429 } }), 'unavailable', { kind: 'rate_limited' }],
    ['reset in the middle', sendsAndResets(delta('half of')), 'unavailable', { kind: 'reset' }],
    [
      'longer than any',
      async (response) => {
        response.on('error', () => {})
        response.end(' '.repeat(BODY_BYTES_MAX + 1))
      },
      'unavailable',
      { kind: 'malformed' },
    ],
  ])('that is %s', async (_, responder, code, failure) => {
    await expect(playPlain(responder)).rejects.toMatchObject({
      name: 'ProviderError',
      code,
      failure,
    })
  })

  test.each<[string, Responder]>([
    ['without a head', () => {}],
    ['with half of its body', sendsAndHangs(delta('half of'))],
  ])('that does not come in time (%s), and the connection is closed', async (_, responder) => {
    await using server = await startOpenAiServer(responder)
    const timeouts = { firstByteMs: 20, silenceMs: 20 }
    const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm', timeouts })

    await expect(answerPlain(provider, REQUEST, UNABORTED)).rejects.toMatchObject({
      code: 'unavailable',
      failure: { kind: 'timed_out' },
    })
    await server.clientLeft
  })
})

async function playPlain(responder: Responder, options: Partial<OpenAiChatOptions> = {}) {
  await using server = await startOpenAiServer(responder)
  const provider = createOpenAiChatProvider({ baseUrl: server.baseUrl, model: 'm', ...options })
  return await answerPlain(provider, REQUEST, UNABORTED)
}

function answers(body: unknown): Responder {
  return refuses(200, JSON.stringify(body))
}
