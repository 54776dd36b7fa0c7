import { afterEach, expect, test } from 'vitest'
import { DONE, delta, finish, sends, startOpenAiServer, usage } from '../providers/openai-server.ts'
import { startTestService, upstreamConfig } from '../service-fixture.ts'

const USAGE = usage(1, 1)
const SYSTEM = { role: 'system', content: 'Be brief.' }
const FIRST = { role: 'user', content: 'My name is Kopeck.' }
const SECOND = { role: 'user', content: 'What is my name?' }

const disposables: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of disposables.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

async function start() {
  const asked: { messages: unknown; max_tokens: unknown }[] = []
  const upstream = await startOpenAiServer((response, each) => {
    asked.push(each.body as (typeof asked)[number])
    return sends(delta('a'), finish(), USAGE, DONE)(response, each)
  })
  disposables.push(upstream)
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl) })
  disposables.push(kopeck)
  const chat = async (body: object) => (await kopeck.chat({ model: 'alpha', ...body })).json()
  const holds = async () => {
    const { rows } = await kopeck.pool.query<{ amount: string }>(
      'SELECT amount_micro_rub AS amount FROM service.hold ORDER BY created_at',
    )
    return rows.map(({ amount }) => Number(amount))
  }
  return { asked, chat, holds }
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
