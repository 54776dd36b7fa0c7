import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount, keyIdOf, settle, takeHold } from '../../service/ledger/ledger-fixture.ts'
import { runAccount } from './run-account.ts'

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
})
afterAll(() => pool.end())

const account = (...args: string[]) => runAccount(url, ...args)

test('history shows each movement with the balance after it, newest first', async () => {
  const id = await fundedAccount(pool, 10_000_000n)
  const requestId = await takeHold(pool, { accountId: id, amountMicroRub: 4_000_000n })
  const usage = { promptTokens: 1, completionTokens: 1 }
  await settle(pool, { requestId, costMicroRub: 1_500_000n, usage })
  await account('debit', String(id), '2', '--note', 'paid back', '--reference', 'bank 5')

  const { lines: moved } = JSON.parse(await account('history', String(id), '--json'))
  const table = await account('history', String(id))

  expect(moved).toMatchObject([
    { kind: 'debit', amount_rub: -2, balance_rub: 6.5, note: 'paid back', reference: 'bank 5' },
    {
      kind: 'request',
      id: requestId,
      state: 'settled',
      model: 'alpha',
      prompt_tokens: 1,
      amount_rub: -1.5,
      balance_rub: 8.5,
      key_id: keyIdOf(id),
    },
    { kind: 'credit', amount_rub: 10, balance_rub: 10, note: null },
  ])
  const [head, ...lines] = table.trimEnd().split('\n')
  expect(head).toMatch(/^time +what +state +RUB +balance +note$/)
  expect(lines[0]).toMatch(/debit \d+ +-2 +6\.5 +bank 5: paid back$/)
  expect(lines[1]).toMatch(new RegExp(`request ${requestId} +settled +-1\\.5 +8\\.5$`))
})

test('history --csv is a file of all movements of the period, with the models and tokens of chats', async () => {
  const id = await fundedAccount(pool, 10_000_000n)
  const requestId = await takeHold(pool, { accountId: id, amountMicroRub: 4_000_000n })
  const usage = { promptTokens: 12, completionTokens: 3 }
  await settle(pool, { requestId, costMicroRub: 1_500_000n, usage })
  await account('debit', String(id), '2', '--note', '=1+1, back', '--reference', 'bank 6')
  const args = ['history', String(id), '--csv']

  const csv = await account(...args)
  const two = await account(...args, '--limit', '2')
  const none = await account(...args, '--to', '2020-01-01')

  const lines = csv.split('\r\n')
  expect(lines[0]).toBe(
    'id,created_at,kind,state,amount_rub,balance_rub,model,prompt_tokens,completion_tokens,key_id,note,reference',
  )
  const shown = lines.slice(1).map((line) => line.replace(/^[^,]+,[-\d]+T[:.\d]+Z,/, ''))
  expect(shown).toEqual([
    `debit,,-2,6.5,,,,,"'=1+1, back",bank 6`,
    `request,settled,-1.5,8.5,alpha,12,3,${keyIdOf(id)},,`,
    'credit,,10,10,,,,,,',
    '',
  ])
  expect(two).toBe(`${lines.slice(0, 3).join('\r\n')}\r\n`)
  expect(none).toBe(`${lines[0]}\r\n`)
})

test('history shows the days that are asked for, the first and the last included', async () => {
  const id = await fundedAccount(pool, 0n)
  const days = ['2026-01-09 23:59:59.9', '2026-01-10 00:00', '2026-01-11 23:59:59.9', '2026-01-12']
  for (const day of days) {
    await pool.query(
      `WITH credited AS (UPDATE service.account SET balance_micro_rub = balance_micro_rub + 1000000 WHERE id = $1)
       INSERT INTO service.adjustment (account_id, amount_micro_rub, created_at)
       VALUES ($1, 1000000, $2::timestamp AT TIME ZONE 'UTC')`,
      [id, day],
    )
  }

  const args = ['history', String(id), '--from', '2026-01-10', '--to', '2026-01-11']
  const { lines } = JSON.parse(await account(...args, '--json'))

  expect(lines).toMatchObject([{ balance_rub: 3 }, { balance_rub: 2 }])
  expect(await account(...args)).toContain('2026-01-11 23:59:59  credit ')
})

test.each([
  [['history', '999999'], 'There is no account 999999'],
  [['history', '1', '--from', 'today'], '--from should be a date such as 2026-11-22'],
  [['history', '1', '--csv', '--json'], /csv/],
  [['history', '1', '--limit', '0'], '--limit should be a whole number from 1 to 60000'],
])('%j is refused: %s', async (args, sentence) => {
  await expect(account(...args)).rejects.toThrow(sentence)
})
