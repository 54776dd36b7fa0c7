import { expect, test } from 'vitest'
import { createUpstreams } from '../../../src/service/chat/upstreams.ts'
import type {
  ChatModelConfig,
  ChatUpstreamConfig,
} from '../../../src/service/config/chat-config.ts'
import type { ChatProvider } from '../../../src/service/providers/provider.ts'
import type { ProviderWays } from '../../../src/service/providers/provider-http.ts'
import { startProxyServer } from '../../platform/http/proxy-server.ts'
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

// Promise: An upstream has no plain answers
test('an upstream that only streams has no plain answers', () => {
  const provide = (only_streams?: boolean) => {
    const provider = toUpstream(
      'http://127.0.0.1:1/v1',
      only_streams === undefined ? {} : { only_streams },
    )
    return createUpstreams({ ...MODEL, provider }, new Map()).upstreams[0]?.provider.plain
  }

  expect([provide(), provide(false)]).toEqual([expect.any(Function), expect.any(Function)])
  expect(provide(true)).toBeUndefined()
})

test.each([
  ['in the file', 'http', (url: string) => url],
  ['in a variable, with its password', 'socks5', () => ({ value_env: 'PROXY' })],
] as const)(
  'an upstream is reached through a proxy that stands %s, by %s',
  async (_, protocol, toProxy) => {
    const isInFile = typeof toProxy('') === 'string'
    const login = isInFile ? undefined : { user: 'user', password: 'pw' }
    const proxy = await startProxyServer({ protocol, login })
    const keys = { PROXY: proxy.url.replace('//', '//user:pw@') }

    await ask({ proxy: toProxy(proxy.url) }, keys)

    expect(proxy.asked).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)])
    expect(proxy.violations).toEqual([])
  },
)

test('each upstream is tried once where the config does not say how often', () => {
  const upstream = { type: 'demo' } as const
  const config = (model: Partial<ChatModelConfig>) =>
    createUpstreams({ ...MODEL, ...model }, new Map()).retries

  expect(config({ provider: upstream })).toBe(0)
  expect(config({ upstreams: [upstream, upstream, upstream] })).toBe(2)
  expect(config({ provider: upstream, retries: 4 })).toBe(4)
})

async function ask(
  config: Partial<ChatUpstreamConfig>,
  keys: Record<string, string> = {},
  ways: ProviderWays = {},
): Promise<Parameters<Responder>[1]> {
  const asking = async (provider: ChatProvider) => {
    expect(await collectEvents(provider, REQUEST, UNABORTED)).toHaveLength(2)
  }
  return await askBy(config, { keys, ways, asking })
}

async function askBy(
  config: Partial<ChatUpstreamConfig>,
  {
    keys,
    ways,
    asking,
  }: {
    keys: Record<string, string>
    ways: ProviderWays
    asking: (provider: ChatProvider) => Promise<void>
  },
): Promise<Parameters<Responder>[1]> {
  const asked: Parameters<Responder>[1][] = []
  await using server = await startOpenAiServer((response, request) => {
    asked.push(request)
    return ANSWERS(response, request)
  })
  const provider = toUpstream(server.baseUrl, config)
  const known = new Map(Object.entries({ KEY: 'sk-1', HEADER_KEY: 'hk-2', ...keys }))
  const { upstreams } = createUpstreams({ ...MODEL, provider }, known, ways)

  await asking(upstreams[0]?.provider ?? expect.unreachable())

  const [request] = asked
  return request ?? expect.unreachable()
}

function toUpstream(base_url: string, config: Partial<ChatUpstreamConfig>) {
  return { ...config, type: 'openai' as const, base_url, model: 'upstream' }
}
