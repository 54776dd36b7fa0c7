import { expect, test } from 'vitest'
import type { ChatResponse } from '../../../src/contract/chat.ts'
import { fromWireRub } from '../../../src/contract/money.ts'
import type { OpenAiCompletion } from '../../../src/contract/openai.ts'
import type { ChatModelConfig } from '../../../src/service/config/chat-config.ts'
import { adjustBalance } from '../../../src/service/ledger/accounts.ts'
import { ledgerFaults } from '../ledger/ledger-fixture.ts'
import { DONE, delta, event, finish, sends, usage } from '../providers/openai-server.ts'
import { type TestService, theHold } from '../service-fixture.ts'
import { askAsOpenAi, CHAT, CREDIT, STREAM, startChatService } from './chat-fixture.ts'

test('usage that is not believed ends a stream well, and any answer costs what was held', async () => {
  const reported = '{"prompt_tokens":1,"completion_tokens":-1}'
  const { kopeck } = await startChatService(
    sends(delta('a'), finish(), event(`{"choices":[],"usage":${reported}}`), DONE),
  )

  const streamed = await askCost(kopeck)
  const hold = await theHold(kopeck.pool)
  await kopeck.pool.query('DELETE FROM service.request')
  const plain = (await (await kopeck.chat(CHAT)).json()) as ChatResponse

  const { amount } = await theHold(kopeck.pool)
  expect(hold).toMatchObject({ state: 'settled', cost: hold.amount })
  expect(streamed).toBe(BigInt(hold.amount))
  expect(plain.content).toBe('a')
  expect(fromWireRub(plain.cost_rub)).toBe(BigInt(amount))
  expect(plain.usage.completion_tokens).toBe(CHAT.max_tokens)
  expect(
    BigInt(plain.usage.prompt_tokens) * 150n + BigInt(plain.usage.completion_tokens) * 600n,
  ).toBe(BigInt(amount))
  expect(await kopeck.balance()).toBe(CREDIT - BigInt(hold.amount) - BigInt(amount))
})

test('without usage the tokens are counted here, and cost at most what was held', async () => {
  const { kopeck } = await startChatService(sends(delta('слово '.repeat(2000)), finish(), DONE))

  const cost = await askCost(kopeck, { max_tokens: 1 })

  const hold = await theHold(kopeck.pool)
  expect(cost).toBe(BigInt(hold.amount))
  expect(hold).toMatchObject({ state: 'settled', cost: hold.amount })
})

test('real usage above the hold is charged too', async () => {
  const { kopeck } = await startChatService(sends(delta('long'), finish(), usage(12, 5000), DONE))

  expect(await askCost(kopeck, { max_tokens: 1000 })).toBe(3_001_800n)
  expect(await kopeck.balance()).toBe(CREDIT - 3_001_800n)
})

test('a cost above the balance goes below zero; then no instance answers until there is credit', async () => {
  const responder = sends(delta('long'), finish(), usage(12, 200_000), DONE)
  const { kopeck, startAnother } = await startChatService(responder, {
    completion_rub_per_1m: '6000',
  })
  const other = await startAnother()

  await askCost(kopeck, { max_tokens: 100_000 })
  const debt = await kopeck.balance()
  const refused = [await kopeck.chat(STREAM), await other.chat(STREAM)]
  await adjustBalance(kopeck.pool, { accountId: kopeck.accountId, amountMicroRub: CREDIT })

  expect(debt).toBe(CREDIT - 1_200_001_800n)
  expect(refused.map(({ status }) => status)).toEqual([402, 402])
  expect((await other.chat(STREAM)).status).toBe(200)
})

async function askCost(kopeck: TestService, fields: object = {}): Promise<bigint> {
  return fromWireRub(readEnd(await (await kopeck.chat({ ...STREAM, ...fields })).text()).cost_rub)
}

const CACHED = { cached_prompt_rub_per_1m: '15' }

test.each<[string, object, Partial<ChatModelConfig>, bigint, number | null]>([
  ['at its own price', cachedOf(8), CACHED, 600n + 120n + 3000n, 8],
])('what was cached of a prompt is charged %s', async (_, told, prices, cost, cached) => {
  const { kopeck } = await startChatService(tells(told), prices)

  const plain = (await (await kopeck.chat(CHAT)).json()) as ChatResponse
  const streamed = readEnd(await (await kopeck.chat(STREAM)).text())
  const openAi = (await (await askAsOpenAi(kopeck, CHAT)).json()) as OpenAiCompletion
  const asked = { ...STREAM, stream_options: { include_usage: true } }
  const openAiStreamed = readEnd(await (await askAsOpenAi(kopeck, asked)).text())

  const usage = {
    ...{ prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    ...(cached !== null && { prompt_tokens_details: { cached_tokens: cached } }),
  }
  for (const answer of [plain, streamed, openAi, openAiStreamed]) {
    expect(answer.usage).toEqual(usage)
    expect(fromWireRub(answer.cost_rub)).toBe(cost)
  }
  expect(await kopeck.balance()).toBe(CREDIT - 4n * cost)
  const { rows } = await kopeck.pool.query(
    `SELECT DISTINCT cost_micro_rub::int AS cost, prompt_tokens, cached_tokens AS cached,
       completion_tokens, terms ->> 'cachedPrompt' AS price FROM service.request JOIN service.price ON price.id = price_id`,
  )
  const { cached_prompt_rub_per_1m: rub } = prices
  expect(rows).toEqual([
    {
      ...{ cost: Number(cost), prompt_tokens: 12, cached, completion_tokens: 5 },
      price: rub === undefined ? null : `${Number(rub) * 1e6}`,
    },
  ])
  expect(await ledgerFaults(kopeck.pool)).toEqual([])
})

test.each<[string, unknown, 'tokens' | 'reported', bigint | 'hold', bigint | null]>([
  // At ₽100 a dollar; by its tokens the answer costs ₽0.0048.
  ['0.0000123456789', 0.0000123456789, 'reported', 1_235n, 1_235n],
  ['more than the hold', 1000, 'reported', 'hold', 100_000_000_000n],
  ['0.0000123456789', 0.0000123456789, 'tokens', 4_800n, 1_235n],
])('a reported cost of %s (%j) is charged by %s', async (_, cost, price_by, charged, reported) => {
  const prices = { usd_rub: '100', price_by }
  const { kopeck } = await startChatService(tells({ cost }), prices)

  await (await kopeck.chat(STREAM)).text()

  const { rows } = await kopeck.pool.query(
    `SELECT held_micro_rub::text AS hold, cost_micro_rub::text AS charged,
       reported_cost_micro_rub::text AS reported FROM service.request`,
  )
  const expected = charged === 'hold' ? rows[0].hold : `${charged}`
  expect(rows).toMatchObject([
    { charged: expected, reported: reported === null ? null : `${reported}` },
  ])
})

test('each kind of token is charged at its price, and the hold stores prices and tokens', async () => {
  const told = {
    ...{ prompt_tokens: 120, completion_tokens: 50, total_tokens: 170 },
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 20 },
    completion_tokens_details: { reasoning_tokens: 30 },
  }
  const { kopeck } = await startChatService(tells(told), {
    ...{ prompt_rub_per_1m: '100', completion_rub_per_1m: '500', reasoning_rub_per_1m: '700' },
    ...{ cached_prompt_rub_per_1m: '10', cache_write_rub_per_1m: '125' },
    tiers: [{ above_prompt_tokens: 100, prompt_rub_per_1m: '200' }],
  })

  await (await kopeck.chat(STREAM)).text()

  const { rows } = await kopeck.pool.query(
    `SELECT cost_micro_rub::int AS cost, cached_tokens AS cached, cache_write_tokens AS written,
       reasoning_tokens AS reasoning, terms FROM service.request JOIN service.price ON price.id = price_id`,
  )
  expect(rows).toEqual([
    {
      ...{ cost: 40 * 200 + 60 * 10 + 20 * 125 + 20 * 500 + 30 * 700 },
      ...{ cached: 60, written: 20, reasoning: 30 },
      terms: {
        ...{ prompt: 100_000_000, cachedPrompt: 10_000_000, cacheWrite: 125_000_000 },
        ...{ completion: 500_000_000, reasoning: 700_000_000 },
        tiers: [
          {
            ...{ abovePromptTokens: 100, prompt: 200_000_000, cachedPrompt: 10_000_000 },
            ...{ cacheWrite: 125_000_000, completion: 500_000_000, reasoning: 700_000_000 },
          },
        ],
      },
    },
  ])
})

function tells(fields: object) {
  const usage = { prompt_tokens: 12, completion_tokens: 5, ...fields }
  return sends(delta('a'), finish(), event({ choices: [], usage }), DONE)
}

function cachedOf(cached_tokens: number) {
  return { prompt_tokens_details: { cached_tokens } }
}

function readEnd(stream: string): Pick<ChatResponse, 'usage' | 'cost_rub'> {
  const events = stream.trimEnd().split('\n\n')
  expect(events.at(-1)).toBe('data: [DONE]')
  return JSON.parse(events.at(-2)?.slice('data: '.length) ?? '')
}
