import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey, toPublicId } from '../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { settle, takeHold } from '../../service/ledger/ledger-fixture.ts'
import { runAccount } from './run-account.ts'

const MARCH = ['--from', '2026-03-01', '--to', '2026-03-31']

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
})
afterAll(() => pool.end())

const account = (...args: string[]) => runAccount(url, ...args)

async function addSpender(name: string): Promise<{ id: number; keyId: string }> {
  const { id } = await createAccount(pool, { name, creditMicroRub: 100_000_000n })
  const keyId = toPublicId(await createApiKey(pool, id, { name: '=1+1' })) ?? ''
  for (const [costMicroRub, at] of [
    [1_500_000n, '2026-03-05T12:00:00Z'],
    [250_000n, new Date().toISOString()],
  ] as const) {
    const requestId = await takeHold(pool, { accountId: id, keyId, amountMicroRub: 2_000_000n })
    const text = 'UPDATE service.request SET created_at = $2 WHERE id = $1'
    await pool.query(text, [requestId, at])
    const usage = { promptTokens: 1000, completionTokens: 20 }
    await settle(pool, { requestId, costMicroRub, usage })
  }
  return { id, keyId }
}

test('usage shows people a table of the period, with what it is together', async () => {
  const { id } = await addSpender(`=cmd ${randomUUID()}`)

  const days = await account('usage', String(id), '--by', 'day', '--from', '2026-03-01')
  const all = await account('usage', ...MARCH)

  const [period, , head, ...lines] = days.trimEnd().split('\n')
  expect(period).toMatch(/^2026-03-01 to \d{4}-\d\d-\d\d, UTC$/)
  expect(head).toMatch(/^day +requests +prompt tokens +completion tokens +cost, RUB$/)
  expect(lines).toEqual([
    expect.stringMatching(/^2026-03-05 +1 +1000 +20 +1\.5$/),
    expect.stringMatching(/^\d{4}-\d\d-\d\d +1 +1000 +20 +0\.25$/),
    expect.stringMatching(/^together +2 +2000 +40 +1\.75$/),
  ])
  expect(all).toMatch(new RegExp(`^${id} +=cmd .* +1 +1000 +20 +1\\.5$`, 'm'))
})

test('usage is of the last 30 days where no day is named', async () => {
  const { id } = await addSpender(randomUUID())

  const { usage } = JSON.parse(await account('usage', String(id), '--json'))

  expect(usage).toMatchObject([{ account: id, requests: 1, cost_rub: 0.25 }])
})

test('usage --csv is a file for spreadsheets, in which no name is a formula', async () => {
  const { id, keyId } = await addSpender(`=cmd|' /C calc'!A0, "${randomUUID()}"`)

  const keys = await account('usage', String(id), '--by', 'key', ...MARCH, '--csv')
  const accounts = await account('usage', String(id), ...MARCH, '--csv')

  expect(keys).toBe(
    `key,key_name,requests,prompt_tokens,completion_tokens,cost_rub,compared_rub,reported_rub\r\n${keyId},'=1+1,1,1000,20,1.5,,\r\n`,
  )
  expect(accounts).toMatch(
    new RegExp(`\r\n${id},"'=cmd\\|' /C calc'!A0, ""[-0-9a-f]{36}""",1,1000,20,1\\.5,,\r\n$`),
  )
})

test('usage shows the charges beside the costs that providers report', async () => {
  const { id, keyId } = await addSpender(randomUUID())
  const requestId = await takeHold(pool, { accountId: id, keyId, amountMicroRub: 2_000_000n })
  await pool.query("UPDATE service.request SET created_at = '2026-03-06T12:00:00Z' WHERE id = $1", [
    requestId,
  ])
  const usage = { promptTokens: 1000, completionTokens: 20 }
  await settle(pool, {
    ...{ requestId, usage, costMicroRub: 2_500_000n },
    reportedCostMicroRub: 2_400_000n,
  })
  const args = ['usage', String(id), '--by', 'day', ...MARCH]

  const table = await account(...args)
  const csv = await account(...args, '--csv')
  const json = JSON.parse(await account(...args, '--json'))

  const [, , head, ...lines] = table.trimEnd().split('\n')
  expect(head).toMatch(/ cost, RUB +charged beside reports, RUB +reported, RUB$/)
  expect(lines).toEqual([
    expect.stringMatching(/^2026-03-05 +1 +1000 +20 +1\.5$/),
    expect.stringMatching(/^2026-03-06 +1 +1000 +20 +2\.5 +2\.5 +2\.4$/),
    expect.stringMatching(/^together +2 +2000 +40 +4 +2\.5 +2\.4$/),
  ])
  expect(csv).toContain('2026-03-05,1,1000,20,1.5,,\r\n2026-03-06,1,1000,20,2.5,2.5,2.4\r\n')
  expect(json.usage).toMatchObject([
    { cost_rub: 1.5, compared_rub: null, reported_rub: null },
    { cost_rub: 2.5, compared_rub: 2.5, reported_rub: 2.4 },
  ])
})

test.each([
  [['usage', '999999'], 'There is no account 999999'],
  [['usage', '--by', 'week'], '--by should be one of account, day, model, key, or several'],
  [['usage', '--csv', '--json'], /csv/],
  [
    ['usage', '--from', '2026-02-01', '--to', '2026-01-01'],
    '--from 2026-02-01 is later than --to 2026-01-01',
  ],
])('account %j is refused', async (args, sentence) => {
  await expect(account(...args)).rejects.toThrow(sentence)
})
