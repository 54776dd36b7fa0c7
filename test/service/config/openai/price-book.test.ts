import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import {
  BUNDLED,
  fetchPriceBook,
  openPriceBook,
} from '../../../../src/service/config/openai/price-book.ts'

const OPENAI = 'https://api.openai.com/v1'
const NEVER = new AbortController().signal

test.each([
  ['OpenAI', OPENAI, 'gpt-5-mini', { prompt: 250_000n, cachedPrompt: 25_000n }],
  ['Mistral', 'https://api.mistral.ai/v1', 'mistral-medium-latest', { cachedPrompt: 150_000n }],
])('the book has the prices of %s', async (_, baseUrl, id, prices) => {
  const book = await openPriceBook(baseUrl)

  expect(book?.find(id)?.prices).toMatchObject(prices)
})

test('the date of the package’s prices is that of the installed version', () => {
  expect(packageJson.dependencies['@pydantic/genai-prices']).toBe(BUNDLED.version)
})

test('long prompts have tiers', async () => {
  const book = await openPriceBook('https://generativelanguage.googleapis.com/v1beta/openai')

  expect(book?.find('gemini-2.5-pro')?.prices).toEqual({
    prompt: 1_250_000n,
    cachedPrompt: 125_000n,
    completion: 10_000_000n,
    tiers: [
      {
        abovePromptTokens: 200_000,
        prompt: 2_500_000n,
        cachedPrompt: 250_000n,
        completion: 15_000_000n,
      },
    ],
  })
})

test('prices that depend on the time of day have hours', async () => {
  const book = await openPriceBook('https://api.deepseek.com')
  const { hours = [], ...base } = book?.find('deepseek-chat')?.prices ?? { prompt: 0n }

  const [off, peak] = [
    { prompt: 135_000n, cachedPrompt: 35_000n, completion: 550_000n },
    { prompt: 270_000n, cachedPrompt: 70_000n, completion: 1_100_000n },
  ]
  expect(base).toEqual(peak)
  expect(hours).toEqual([
    { ...off, fromMinute: 0, toMinute: 30 },
    { ...off, fromMinute: 16 * 60 + 30, toMinute: 24 * 60 },
  ])
})

test('an upstream or a model that nobody knows has no price', async () => {
  expect(await openPriceBook('http://127.0.0.1:11434/v1')).toBeUndefined()
  expect((await openPriceBook(OPENAI))?.find('gpt-9')).toBeUndefined()
})

test('newer data is read in place of that of the package', async () => {
  const root = await serve(JSON.stringify([toProvider({ input_mtok: 0.5, output_mtok: 4 })]))

  const book = await fetchPriceBook(OPENAI, { root }, NEVER)

  expect(book?.find('gpt-5-mini')).toEqual({
    prices: { prompt: 500_000n, completion: 4_000_000n },
    contextTokens: 400_000,
  })
})

test.each([
  ['a page', '<html>Sign in</html>'],
  ['a provider without models', '[{"api_pattern":"https://api\\\\.openai\\\\.com"}]'],
  ['a status', '[]', 503],
])('%s is no book', async (_, body, status = 200) => {
  const root = await serve(body, status)

  expect(await fetchPriceBook(OPENAI, { root }, NEVER)).toBeUndefined()
})

test.each([-1, '0.5'])('a price of %j is none', async (input_mtok) => {
  const root = await serve(JSON.stringify([toProvider({ input_mtok, output_mtok: 4 })]))

  const book = await fetchPriceBook(OPENAI, { root }, NEVER)

  expect(book?.find('gpt-5-mini')?.prices).toBeUndefined()
})

function toProvider(prices: object) {
  const match = { equals: 'gpt-5-mini' }
  const models = [{ id: 'gpt-5-mini', match, prices, context_window: 400_000 }]
  return { id: 'openai', name: 'OpenAI', api_pattern: 'https://api\\.openai\\.com', models }
}

async function serve(body: string, status = 200): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
