import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount } from '../../service/ledger/ledger-fixture.ts'
import { runAccount } from './run-account.ts'

let url: string
let pool: pg.Pool

beforeEach(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => {
    process.exitCode = undefined
  })
})
afterEach(() => pool.end())

test('check says that the ledger is right, and ends with 0', async () => {
  await fundedAccount(pool, 1000n)

  const printed = await runAccount(url, 'check')

  expect(printed).toBe('The ledger is right.\n')
  expect(process.exitCode).toBeUndefined()
})

test('check lists the accounts at fault with what should be and what is, and ends with 1', async () => {
  const id = await fundedAccount(pool, 1_000_000n)
  await fundedAccount(pool, 1_000_000n)
  await pool.query(
    "UPDATE service.account SET name = 'shop', balance_micro_rub = 900000 WHERE id = $1",
    [id],
  )

  const printed = await runAccount(url, 'check')
  const json = JSON.parse(await runAccount(url, 'check', '--json'))

  expect(process.exitCode).toBe(1)
  expect(printed.split('\n')).toEqual([
    'Faults of the ledger: 1',
    '',
    'account  name  should be, RUB  is, RUB  what',
    `      ${id}  shop               1      0.9  the balance is not the sum of its movements`,
    '',
  ])
  expect(json).toEqual({
    faults: [
      {
        account_id: id,
        account_name: 'shop',
        rule: 'balance',
        subject: null,
        should_be_rub: 1,
        is_rub: 0.9,
      },
    ],
  })
})
