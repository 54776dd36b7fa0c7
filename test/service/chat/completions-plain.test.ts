import { expect, test } from 'vitest'
import { fromWireRub } from '../../../src/contract/money.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  sendsAndResets,
  usage,
} from '../providers/openai-server.ts'
import { theHold } from '../service-fixture.ts'
import { ANSWERS, askAsOpenAi, CHAT, CREDIT, startChatService } from './chat-fixture.ts'

const USAGE = usage(1, 1)

test('plain answers, refusals and the list of models are exactly these bytes', async () => {
  const { kopeck } = await startChatService(sends(delta('При"\n'), finish('length'), USAGE, DONE))
  const noKey = { headers: { authorization: '' } }

  const answers = await Promise.all([
    kopeck.chat(CHAT),
    kopeck.chat({ ...CHAT, tools: [], max_tokens: 0 }),
    kopeck.chat({ ...CHAT, model: 'beta' }),
    kopeck.chat(CHAT, noKey),
    kopeck.call('/chats/models'),
  ])
  const bytes = await Promise.all(answers.map((answer) => answer.text()))

  const { request_id: id } = await theHold(kopeck.pool)
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 422, 401, 200])
  expect(bytes).toEqual([
    `{"request_id":"${id}","model":"alpha","content":"При\\"\\n","finish_reason":"length","usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},"cost_rub":0.00075,"cost_coins":0.00075}`,
    '{"detail":"max_tokens: must be at least 1"}',
    '{"detail":"model: is not one of GET /chats/models"}',
    '{"detail":"An API key is needed: Authorization: Bearer <API_KEY>."}',
    '{"models":[{"id":"alpha","family":"A","context_tokens":1000000,"prompt_rub_per_1m":150,"completion_rub_per_1m":600}]}',
  ])
})

test('the balance moves by exactly cost_rub, rounded half up once', async () => {
  const { kopeck } = await startChatService(sends(delta('a'), finish(), USAGE, DONE), {
    // 0.6 + 0.9 micro-roubles: two roundings would make 2, one makes 2 of 1.5.
    prompt_rub_per_1m: '0.6',
    completion_rub_per_1m: '0.9',
  })

  const { cost_rub } = (await (await kopeck.chat(CHAT)).json()) as { cost_rub: number }

  expect(fromWireRub(cost_rub)).toBe(2n)
  expect(await kopeck.balance()).toBe(CREDIT - 2n)
})

const FAILURES: [string, Responder, number][] = [
  ['that refuses the request', refuses(422, '{}'), 502],
  ['that dies after its headers', sendsAndResets(': thinking\n\n'), 503],
]

test.each([
  ...FAILURES.flatMap(([name, ...rest]) =>
    [true, false].map((stream) => [stream, name, ...rest] as const),
  ),
  [false, 'that breaks off in the middle', sendsAndResets(delta('half of')), 503] as const,
])(
  'a request (stream: %s) to an upstream %s has a plain refusal, and the estimate is back',
  async (stream, _, responder, status) => {
    const { kopeck } = await startChatService(responder)

    const response = await kopeck.chat({ ...CHAT, stream })

    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toEqual({ detail: expect.any(String) })
    expect(await kopeck.balance()).toBe(CREDIT)
    expect(await theHold(kopeck.pool)).toMatchObject({ state: 'released', cost: '0' })
  },
)

test('max_tokens is held for, and what the provider is given', async () => {
  const { kopeck, asked } = await start()

  await kopeck.chat(CHAT)

  const { amount } = await theHold(kopeck.pool)
  expect(asked).toMatchObject([{ model: 'upstream', max_tokens: 100, messages: CHAT.messages }])
  // 100 tokens at 600 RUB per 1M, and a few at 150 for the prompt.
  expect(Number(amount)).toBeGreaterThan(60_000)
  expect(Number(amount)).toBeLessThan(65_000)
})

const SYSTEM = { role: 'system', content: 'Be brief.' }
const FIRST = { role: 'user', content: 'My name is Kopeck.' }
const SECOND = { role: 'user', content: 'What is my name?' }

async function start() {
  const asked: { messages: unknown; max_tokens: unknown }[] = []
  const record: Responder = (response, each) => {
    asked.push(each.body as (typeof asked)[number])
    return ANSWERS(response, each)
  }
  const { kopeck } = await startChatService(record)
  const chat = (body: object) => kopeck.chat({ model: 'alpha', ...body })
  const holds = async () => {
    const { rows } = await kopeck.pool.query<{ amount: string }>(
      'SELECT held_micro_rub AS amount FROM service.request ORDER BY created_at',
    )
    return rows.map(({ amount }) => Number(amount))
  }
  return { kopeck, asked, chat, holds }
}

test('a request knows nothing of the one before, and is charged for all of its own messages', async () => {
  const { asked, chat, holds } = await start()

  await chat({ messages: [SYSTEM, FIRST], max_tokens: 1 })
  await chat({ messages: [SECOND], max_tokens: 1 })
  await chat({ messages: [SYSTEM, FIRST, SECOND], max_tokens: 1 })

  expect(asked.map(({ messages }) => messages)).toEqual([
    [SYSTEM, FIRST],
    [SECOND],
    [SYSTEM, FIRST, SECOND],
  ])
  const [both = 0, one = 0, all = 0] = await holds()
  expect(all).toBeGreaterThan(Math.max(both, one))
})

test('without max_tokens the default of the model is held for and asked for', async () => {
  const { asked, chat, holds } = await start()

  await chat({ messages: [FIRST] })
  await chat({ messages: [FIRST], max_tokens: 1000 })

  expect(asked.map(({ max_tokens }) => max_tokens)).toEqual([1000, 1000])
  const [byDefault, named] = await holds()
  expect(byDefault).toBe(named)
})

const TOO_LONG = {
  error: { code: 'context_length_exceeded', message: 'The maximum context length is 8192 tokens.' },
}

test.each([false, true])(
  'a conversation that is too long for the model has a code, and nothing is charged (stream: %s)',
  async (stream) => {
    const { kopeck } = await startChatService(refuses(400, JSON.stringify(TOO_LONG)))

    const own = await kopeck.chat({ ...CHAT, stream })
    const openAi = await askAsOpenAi(kopeck, { ...CHAT, stream })

    const { code } = TOO_LONG.error
    expect([own.status, openAi.status]).toEqual([502, 400])
    expect(await own.json()).toMatchObject({ detail: expect.stringContaining('8192'), code })
    expect(await openAi.json()).toMatchObject({ error: { code } })
    expect(await kopeck.balance()).toBe(CREDIT)
  },
)
