import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../service-fixture.ts'

const MESSAGES = [{ role: 'user', content: 'A kopeck' }]
/** At the price of the models that fail: ₽60 per 1 million tokens of output. */
const MICRO_RUB_PER_TOKEN = 60n
const MAX_TOKENS = 1000

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService()
})
afterAll(() => kopeck[Symbol.asyncDispose]())

function ask(model: string, { stream }: { stream: boolean }) {
  return kopeck.chat({ model, messages: MESSAGES, max_tokens: MAX_TOKENS, stream })
}

test.each([
  ['demo-refused', 502, 'The demo refuses every chat of this model.'],
  ['demo-unavailable', 503, 'The demo is never there for this model.'],
])(
  '%s is %i, streamed or plain and each time, and costs nothing',
  async (model, status, detail) => {
    const before = await kopeck.balance()

    for (const stream of [true, false, true]) {
      const answer = await ask(model, { stream })

      expect(answer.status).toBe(status)
      expect(await answer.json()).toEqual({ detail })
    }
    expect(await kopeck.balance()).toBe(before)
  },
)

test('demo-broken breaks a stream off after some deltas, and keeps its estimate', async () => {
  const before = await kopeck.balance()

  const answer = await ask('demo-broken', { stream: true })
  const events = (await answer.text()).trim().split('\n\n')

  expect(answer.status).toBe(200)
  expect(events.length).toBeGreaterThan(3)
  expect(events[0]).toContain('"delta":{"content":"I’m"}')
  expect(events.at(-1)).toBe(
    'data: {"error":{"message":"The demo breaks off every answer of this model."}}',
  )
  const kept = before - (await kopeck.balance())
  expect(kept).toBeGreaterThan(BigInt(MAX_TOKENS) * MICRO_RUB_PER_TOKEN)
})

test('demo-broken asked plain is 503 and costs nothing, since nothing of its answer came', async () => {
  const before = await kopeck.balance()

  const answer = await ask('demo-broken', { stream: false })

  expect(answer.status).toBe(503)
  expect(await kopeck.balance()).toBe(before)
})

test('demo-longer is settled above its hold', async () => {
  const before = await kopeck.balance()

  const answer = await ask('demo-longer', { stream: false })
  const { usage, cost_rub: costRub } = (await answer.json()) as {
    usage: { completion_tokens: number }
    cost_rub: number
  }

  expect(usage.completion_tokens).toBe(2 * MAX_TOKENS)
  expect(before - (await kopeck.balance())).toBe(BigInt(Math.round(costRub * 1e6)))
})

test('a model that is there to fail cools no upstream down, and counts as no failure of one', async () => {
  await ask('demo-unavailable', { stream: false })

  const metrics = await kopeck.service.readMetrics()
  expect(metrics).toContain(
    'kopeck_upstream_cool_down_seconds{model="demo-unavailable",upstream="demo"} 0',
  )
  expect(metrics).not.toMatch(/^kopeck_provider_failures_total\{/m)
})
