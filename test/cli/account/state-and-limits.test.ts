import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount } from '../../service/ledger/ledger-fixture.ts'
import { runAccount } from './run-account.ts'

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
})
afterAll(() => pool.end())

const account = (...args: string[]) => runAccount(url, ...args)

test('freeze, unfreeze and close print what the account is then and what it has', async () => {
  const id = await fundedAccount(pool, 5_000_000n)

  const printed = [
    await account('freeze', `${id}`),
    await account('freeze', `${id}`),
    await account('unfreeze', `${id}`),
    await account('close', `${id}`),
  ]

  expect(printed.map((line) => JSON.parse(line).state)).toEqual([
    ...['frozen', 'frozen', 'open', 'closed'],
  ])
  expect(printed[3]).toBe(`{"account_id":${id},"state":"closed","balance_rub":5}\n`)
  const reopened = account('unfreeze', `${id}`)
  await expect(reopened).rejects.toThrow(`Account ${id} is closed for good`)
  const key = account('create-key', `${id}`)
  await expect(key).rejects.toThrow(`Account ${id} is closed for good`)
  const { accounts } = JSON.parse(await account('list', '--json'))
  expect(accounts).toContainEqual(expect.objectContaining({ account_id: id, state: 'closed' }))
})

test('limits shows what an account may do, changes it, and takes it back', async () => {
  const id = await fundedAccount(pool, 0n)

  const changed = await account('limits', `${id}`, '--chat', '60', '--video', '5')
  const read = JSON.parse(await account('limits', `${id}`, '--json'))
  const takenBack = JSON.parse(await account('limits', `${id}`, '--chat', 'default', '--json'))

  expect(changed.split('\n')).toEqual([
    'kind   a minute  others have',
    'chat         60           30',
    'video         5            3',
    'image         3            3',
    'sound         3            3',
    '',
  ])
  expect(read.requests_a_minute).toEqual({ chat: 60, video: 5, image: 3, sound: 3 })
  expect(takenBack.requests_a_minute).toEqual({ chat: 30, video: 5, image: 3, sound: 3 })
})

test.each([
  [['freeze', '999999'], 'There is no account 999999'],
  [['close'], "Missing required argument 'ACCOUNT_ID': see kopeck account --help"],
  [['create', '--name', ''], '--name should be a line of 1 to 200 characters'],
  [['limits', '1', '--chat', '60001'], '--chat should be a whole number from 1 to 60000'],
])('%j is refused: %s', async (args, sentence) => {
  await expect(account(...args)).rejects.toThrow(sentence)
})
