import { expect, test } from 'vitest'
import { createServedModels } from '../../../src/service/chat/models.ts'
import { collectEvents } from '../providers/collect-events.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  sends,
  startOpenAiServer,
} from '../providers/openai-server.ts'
import { upstreamConfig } from '../service-fixture.ts'

test('an upstream gets the output limit, headers and fields that its config has', async () => {
  const asked: Parameters<Responder>[1][] = []
  await using server = await startOpenAiServer((response, request) => {
    asked.push(request)
    return sends(delta('yes'), finish(), DONE)(response, request)
  })
  const provider = {
    ...({ type: 'openai', base_url: server.baseUrl, model: 'upstream' } as const),
    api_key_env: 'KEY',
    output_limit: 'max_completion_tokens' as const,
    headers: { 'X-Tier': 'gold', 'api-key': { value_env: 'HEADER_KEY' } },
    body: { reasoning_effort: 'low', stream_options: { include_usage: true, extra: 1 } },
  }
  const keys = new Map(Object.entries({ KEY: 'sk-1', HEADER_KEY: 'hk-2' }))
  const { chat } = upstreamConfig('', { provider })
  const [model] = createServedModels({ chat, keys }).values()
  const messages = [{ role: 'user' as const, content: 'hi' }]

  const { signal } = new AbortController()
  const upstream = model?.upstreams[0]?.provider ?? expect.unreachable()
  await collectEvents(upstream, { messages, maxTokens: 64 }, signal)

  expect(asked).toMatchObject([
    {
      headers: {
        authorization: 'Bearer sk-1',
        'x-tier': 'gold',
        'api-key': 'hk-2',
        'content-type': 'application/json',
      },
    },
  ])
  expect(asked[0]?.body).toEqual({
    model: 'upstream',
    messages,
    max_completion_tokens: 64,
    stream: true,
    stream_options: { include_usage: true, extra: 1 },
    reasoning_effort: 'low',
  })
})
