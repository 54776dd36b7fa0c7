import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { balanceOf, ledgerFaults } from '../../service/ledger/ledger-fixture.ts'
import { runAccount } from './run-account.ts'

let url: string
let pool: pg.Pool
let names = 0

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
})
afterEach(async () => {
  expect(await ledgerFaults(pool)).toEqual([])
})
afterAll(() => pool.end())

const account = (...args: string[]) => runAccount(url, ...args)

async function accountWith(creditMicroRub: bigint): Promise<string> {
  names += 1
  const { id } = await createAccount(pool, { name: `account ${names}`, creditMicroRub })
  return String(id)
}

test('credit and debit print the balance in one line', async () => {
  const id = await accountWith(1_000_000n)

  const credited = await account('credit', id, '0.5')
  const debited = await account('debit', id, '1.2')

  expect(credited).toBe(`{"account_id":${id},"balance_rub":1.5}\n`)
  expect(debited).toBe(`{"account_id":${id},"balance_rub":0.3}\n`)
})

test('a debit takes no more than there is, unless it is forced', async () => {
  const id = await accountWith(5_000_000n)

  const refused = account('debit', id, '8')
  await expect(refused).rejects.toThrow(
    `Account ${id} has 5 RUB, and 8 RUB are to be debited: --force debits them`,
  )
  const balance = await balanceOf(pool, Number(id))
  const forced = await account('debit', id, '8', '--force')

  expect(balance).toBe(5_000_000n)
  expect(JSON.parse(forced)).toMatchObject({ balance_rub: -3 })
})

test('a repeated reference changes nothing and says so, also when the balance is too low by then', async () => {
  const id = await accountWith(5_000_000n)
  const debit = () => account('debit', id, '4', '--reference', 'refund 17')

  const first = await debit()
  const second = await debit()

  expect(JSON.parse(first)).toEqual({ account_id: Number(id), balance_rub: 1 })
  expect(JSON.parse(second)).toEqual({ account_id: Number(id), balance_rub: 1, repeated: true })
})

test('a reference that was used otherwise is refused with what it was used for', async () => {
  const [id, other] = [await accountWith(0n), await accountWith(0n)]
  await account('credit', id, '100', '--reference', 'payment 7')
  const used = `The reference "payment 7" was used for a credit of 100 RUB to account ${id}`

  const more = account('credit', id, '200', '--reference', 'payment 7')
  await expect(more).rejects.toThrow(`${used}, not for a credit of 200 RUB to account ${id}`)
  const elsewhere = account('credit', other, '100', '--reference', 'payment 7')
  await expect(elsewhere).rejects.toThrow(
    `${used}, not for a credit of 100 RUB to account ${other}`,
  )
  const taken = account('debit', id, '100', '--reference', 'payment 7')
  await expect(taken).rejects.toThrow(`${used}, not for a debit of 100 RUB from account ${id}`)

  expect(await balanceOf(pool, Number(id))).toBe(100_000_000n)
  expect(await balanceOf(pool, Number(other))).toBe(0n)
})

test.each([
  [['credit', '999999', '1'], 'There is no account 999999'],
  [['credit', '1', '0'], 'RUB should be more than 0'],
  [['credit', '1', '1', '--note', ' '], '--note should be a line of 1 to 500 characters'],
  [['debit', '1', '1', '--reference', 'r'.repeat(201)], '--reference should be a line of 1 to 200'],
  [['credit', '1', '1', '--force'], "Unknown option '--force': see kopeck account --help"],
])('%j is refused: %s', async (args, sentence) => {
  await expect(account(...args)).rejects.toThrow(sentence)
})
