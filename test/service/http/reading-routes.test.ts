import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, upstreamConfig } from '../service-fixture.ts'

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService({ creditMicroRub: 0n })
})
afterAll(() => kopeck[Symbol.asyncDispose]())

test('GET /chats/models has the price of cached input of a model that has one', async () => {
  const config = upstreamConfig('http://127.0.0.1:9', { cached_prompt_rub_per_1m: '0.000001' })
  await using other = await startTestService({ config, beside: kopeck })

  expect(await (await other.call('/chats/models')).json()).toEqual({
    models: [
      {
        id: 'alpha',
        family: 'A',
        context_tokens: 1_000_000,
        prompt_rub_per_1m: 150,
        cached_prompt_rub_per_1m: 0.000001,
        completion_rub_per_1m: 600,
      },
    ],
  })
})

test('GET /prices lists what each task costs by its label', async () => {
  const response = await kopeck.call('/prices')

  expect(await response.json()).toEqual({
    prices_rub: {
      'vidgen-720p-5s': 40,
      'vidgen-720p-10s': 80,
      'vidgen-1080p-5s': 70,
      imagegen: 5,
      soundgen: 3,
    },
  })
})

test('GET /balance says that creations may be named', async () => {
  const response = await kopeck.call('/balance')

  expect(await response.json()).toEqual({ balance_rub: 0 })
  expect(response.headers.get('accept-idempotency-key')).toBe('creation')
})
