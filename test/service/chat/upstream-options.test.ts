import { expect, test } from 'vitest'
import { createServedModels } from '../../../src/service/chat/models.ts'
import type {
  ChatModelConfig,
  ChatUpstreamConfig,
} from '../../../src/service/config/chat-config.ts'
import { collectEvents } from '../providers/collect-events.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  startOpenAiServer,
} from '../providers/openai-server.ts'

const UNABORTED = new AbortController().signal
const REQUEST = { messages: [{ role: 'user' as const, content: 'hi' }], maxTokens: 64 }
const ANSWERS = sends(delta('yes'), finish(), DONE)
const MODEL = {
  id: 'alpha',
  family: 'A',
  context_tokens: 1000,
  prompt_rub_per_1m: '1',
  completion_rub_per_1m: '1',
}

test('an upstream gets the output limit, headers and fields that its config has', async () => {
  const asked = await ask({
    api_key_env: 'KEY',
    output_limit: 'max_completion_tokens',
    headers: { 'X-Tier': 'gold', 'api-key': { value_env: 'HEADER_KEY' } },
    body: { reasoning_effort: 'low', stream_options: { include_usage: true, extra: 1 } },
  })

  expect(asked.headers).toMatchObject({
    authorization: 'Bearer sk-1',
    'x-tier': 'gold',
    'api-key': 'hk-2',
    'content-type': 'application/json',
  })
  expect(asked.body).toEqual({
    model: 'upstream',
    messages: REQUEST.messages,
    max_completion_tokens: 64,
    stream: true,
    stream_options: { include_usage: true, extra: 1 },
    reasoning_effort: 'low',
  })
})

async function ask(config: Partial<ChatUpstreamConfig>): Promise<Parameters<Responder>[1]> {
  const asked: Parameters<Responder>[1][] = []
  await using server = await startOpenAiServer((response, request) => {
    asked.push(request)
    return ANSWERS(response, request)
  })
  const provider = {
    ...config,
    type: 'openai' as const,
    base_url: server.baseUrl,
    model: 'upstream',
  }
  const model = serve({ provider }, { KEY: 'sk-1', HEADER_KEY: 'hk-2' })
  const answering = model?.upstreams[0]?.provider ?? expect.unreachable()

  expect(await collectEvents(answering, REQUEST, UNABORTED)).toHaveLength(2)

  return asked[0] ?? expect.unreachable()
}

function serve(model: Partial<ChatModelConfig>, keys: Record<string, string> = {}) {
  const chat = { models: [{ ...MODEL, ...model }] }
  return createServedModels({ chat, keys: new Map(Object.entries(keys)) }).get(MODEL.id)
}
