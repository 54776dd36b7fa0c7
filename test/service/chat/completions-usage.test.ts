import { expect, test } from 'vitest'
import { fromWireRub } from '../../../src/contract/money.ts'
import { creditAccount } from '../../../src/service/ledger/accounts.ts'
import { DONE, delta, event, finish, sends } from '../providers/openai-server.ts'
import { theHold } from '../service-fixture.ts'

import { CHAT, CREDIT, startChatService } from './chat-fixture.ts'

const BODY = { ...CHAT, stream: true }

test('usage of zero costs nothing', async () => {
  const usage = event({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } })
  const { kopeck } = await startChatService(sends(delta('free'), finish(), usage, DONE))

  const cost = lastCost(await (await kopeck.chat(BODY)).text())

  expect(cost).toBe(0)
  expect(await kopeck.balance()).toBe(CREDIT)
})

test('usage that grows with every chunk is charged once, as it was at the end', async () => {
  const grown = (tokens: number) =>
    event({
      choices: [{ index: 0, delta: { content: 'a' } }],
      usage: { prompt_tokens: 12, completion_tokens: tokens },
    })
  const { kopeck } = await startChatService(sends(grown(1), grown(3), grown(5), finish(), DONE))

  const cost = lastCost(await (await kopeck.chat(BODY)).text())

  // 12 × 150 and 5 × 600 roubles per 1M tokens.
  expect(fromWireRub(cost)).toBe(4800n)
})

test.each(['-1', '1.5', '100000001'])(
  'usage of %s tokens is no usage: the stream counts as broken, and nothing is credited',
  async (tokens) => {
    const usage = `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":${tokens}}}\n\n`
    const { kopeck } = await startChatService(sends(delta('a'), finish(), usage, DONE))

    const events = (await (await kopeck.chat(BODY)).text()).trimEnd().split('\n\n')

    const hold = await theHold(kopeck.pool)
    expect(events.at(-1)).toMatch(/^data: {"error":{"message":".*token count/)
    expect(hold).toMatchObject({ state: 'kept', cost: hold.amount })
  },
)

test('without usage the tokens are counted here, and cost at most what was held', async () => {
  const { kopeck } = await startChatService(sends(delta('слово '.repeat(2000)), finish(), DONE))

  const cost = lastCost(await (await kopeck.chat({ ...BODY, max_tokens: 1 })).text())

  const hold = await theHold(kopeck.pool)
  expect(fromWireRub(cost)).toBe(BigInt(hold.amount))
  expect(hold).toMatchObject({ state: 'settled', cost: hold.amount })
})

test('real usage above the hold is charged too', async () => {
  const usage = event({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5000 } })
  const { kopeck } = await startChatService(sends(delta('long'), finish(), usage, DONE))

  const cost = lastCost(await (await kopeck.chat(BODY)).text())

  expect(fromWireRub(cost)).toBe(3_001_800n)
  expect(await kopeck.balance()).toBe(CREDIT - 3_001_800n)
})

test('a cost above the balance goes below zero; then no instance answers until there is credit', async () => {
  const usage = event({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 2_000_000 } })
  const responder = sends(delta('long'), finish(), usage, DONE)
  const { kopeck, startAnother } = await startChatService(responder)
  const other = await startAnother()

  await (await kopeck.chat(BODY)).text()
  const debt = await kopeck.balance()
  const refused = [await kopeck.chat(BODY), await other.chat(BODY)]
  await creditAccount(kopeck.pool, { accountId: kopeck.accountId, amountMicroRub: CREDIT })

  expect(debt).toBe(CREDIT - 1_200_001_800n)
  expect(refused.map(({ status }) => status)).toEqual([402, 402])
  expect((await other.chat(BODY)).status).toBe(200)
})

function lastCost(stream: string): number {
  const events = stream.trimEnd().split('\n\n')
  expect(events.at(-1)).toBe('data: [DONE]')
  return JSON.parse(events.at(-2)?.slice('data: '.length) ?? '').cost_rub
}
