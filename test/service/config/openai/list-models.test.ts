import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listModels } from '../../../../src/service/config/openai/list-models.ts'
import {
  DEEPSEEK,
  type Flavour,
  OLLAMA,
  OPENAI,
  OPENROUTER,
  startUpstream,
  VLLM,
} from './upstreams.ts'

const NEVER = new AbortController().signal

test.each<[string, Flavour, string[]]>([
  ['OpenAI', OPENAI, ['gpt-5-mini', 'gpt-4.1']],
  [
    'OpenRouter',
    OPENROUTER,
    ['openrouter/auto', 'deepseek/deepseek-v3.2', 'openai/gpt-5-mini', 'z-ai/glm-4.5-air:free'],
  ],
  ['Ollama', OLLAMA, ['llama3.2:latest']],
  ['vLLM', VLLM, ['Qwen/Qwen2.5-7B-Instruct']],
  ['DeepSeek', DEEPSEEK, ['deepseek-v4-flash', 'deepseek-v4-pro']],
])('the list of %s is read, also from the root of its host', async (_, flavour, chatting) => {
  await using upstream = await startUpstream(flavour)
  for (const baseUrl of [upstream.baseUrl, `${upstream.baseUrl}/`, upstream.origin]) {
    const list = await listModels({ baseUrl, apiKey: flavour.key }, NEVER)

    expect(list).toMatchObject({ ok: true })
    const models = list.ok ? list.models : []
    expect(models.filter(({ isChat }) => isChat).map(({ id }) => id)).toEqual(chatting)
  }
})

test('prices and contexts are read where the list tells them, and a price that varies is none', async () => {
  await using upstream = await startUpstream(OPENROUTER)
  const list = await listModels({ baseUrl: upstream.baseUrl, apiKey: OPENROUTER.key }, NEVER)
  const models = new Map(list.ok ? list.models.map((model) => [model.id, model]) : [])

  expect(models.get('openai/gpt-5-mini')).toMatchObject({
    contextTokens: 400_000,
    prices: { promptMicroUsdPer1m: 250_000n, completionMicroUsdPer1m: 2_000_000n },
  })
  expect(models.get('openrouter/auto')?.prices).toBeUndefined()
})

test('a key that is refused is told with the words of the upstream, and without the key', async () => {
  await using upstream = await startUpstream(OPENAI)
  const list = await listModels({ baseUrl: upstream.baseUrl, apiKey: 'sk-wrong' }, NEVER)

  expect(list).toMatchObject({ ok: false, problem: 'unauthorized', status: 401 })
  expect(JSON.stringify(list)).toContain('Incorrect API key provided')
  expect(JSON.stringify(list)).not.toContain('sk-wrong')
})

test.each<[string, number, string, object]>([
  ['a page', 200, '<html>Welcome</html>', { problem: 'no_list', status: 200 }],
  ['a list of something else', 200, '{"data":[{"name":"x"}]}', { problem: 'no_list' }],
  ['more than 10 MB', 200, 'x'.repeat(11 * 2 ** 20), { problem: 'no_list' }],
  [
    'a failure of its own',
    503,
    '{"error":{"message":"overloaded"}}',
    { problem: 'unavailable', said: 'overloaded' },
  ],
  ['a limit', 429, '', { problem: 'unavailable', status: 429 }],
  [
    'no money',
    402,
    '{"error":{"message":"Insufficient credits"}}',
    { problem: 'unauthorized', status: 402 },
  ],
])('%s is no list, and why is told', async (_, status, body, expected) => {
  const { baseUrl } = await serve(status, body)

  const list = await listModels({ baseUrl, apiKey: 'sk-x' }, NEVER)

  expect(list).toMatchObject({ ok: false, ...expected })
})

test('nobody at the address is told as that', async () => {
  const { baseUrl, close } = await serve(200, '')
  await close()

  const list = await listModels({ baseUrl, apiKey: undefined }, NEVER)

  expect(list).toMatchObject({ ok: false, problem: 'unreachable' })
})

async function serve(status: number, body: string) {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(async () => {
    if (server.listening) await close()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close }
}
