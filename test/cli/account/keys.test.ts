import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { fundedAccount, takeHold } from '../../service/ledger/ledger-fixture.ts'
import { runAccount } from './run-account.ts'

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
})
afterAll(() => pool.end())

const account = (...args: string[]) => runAccount(url, ...args)

async function readKeys(accountId: number, ...options: string[]) {
  const { keys } = JSON.parse(await account('keys', String(accountId), '--json', ...options))
  return keys.slice(1)
}

async function createKey(accountId: number, ...options: string[]): Promise<string> {
  return JSON.parse(await account('create-key', String(accountId), ...options)).api_key
}

test('create-key gives a key its terms, and keys shows them with what is spent', async () => {
  const id = await fundedAccount(pool, 100_000_000n)
  const terms = ['--name', 'Шоп', '--expires', '2100-01-31', '--spend-limit', '50.5']
  const key = await createKey(id, ...terms, '--models', 'alpha, vidgen')
  const keyId = key.split('_')[1] ?? ''
  await takeHold(pool, { accountId: id, keyId, amountMicroRub: 1_250_000n })

  const keys = await readKeys(id)
  const table = await account('keys', String(id))

  expect(keys).toEqual([
    {
      key_id: keyId,
      name: 'Шоп',
      state: 'valid',
      expires_at: '2100-02-01T00:00:00.000Z',
      spend_limit_rub: 50.5,
      spent_rub: 1.25,
      requests_per_minute: null,
      models: ['alpha', 'vidgen'],
      created_at: expect.any(String),
      last_used_at: expect.any(String),
    },
  ])
  const [head, , line] = table.trimEnd().split('\n')
  expect(head).toMatch(/^key +name +state +expires +spent, RUB +limit, RUB +models +last used$/)
  expect(line).toMatch(
    new RegExp(`^${keyId} +Шоп +valid +2100-02-01 00:00:00 +1\\.25 +50\\.5 +alpha,vidgen +\\d{4}-`),
  )
})

test('change-key changes what is named, and takes terms away by never, none and all', async () => {
  const id = await fundedAccount(pool, 0n)
  const key = await createKey(id, '--name', 'shop', '--spend-limit', '5', '--models', 'alpha')

  await account('change-key', key, '--expires', '2100-01-30')
  const [before] = await readKeys(id)
  const printed = await account(
    ...['change-key', before.key_id, '--expires', 'never'],
    ...['--spend-limit', 'none', '--models', 'all'],
  )

  expect(before).toMatchObject({ name: 'shop', spend_limit_rub: 5, models: ['alpha'] })
  expect(before.expires_at).toBe('2100-01-31T00:00:00.000Z')
  const none = { expires_at: null, spend_limit_rub: null, models: null }
  expect(JSON.parse(printed)).toMatchObject({ account_id: id, name: 'shop', ...none })
})

test('a key has a rate of its own until it is taken away', async () => {
  const id = await fundedAccount(pool, 0n)
  const key = await createKey(id, '--rate', '20')

  const [limited] = await readKeys(id)
  const free = await account('change-key', key, '--rate', 'none')

  expect(limited).toMatchObject({ requests_per_minute: 20, spend_limit_rub: null })
  expect(JSON.parse(free)).toMatchObject({ requests_per_minute: null })
})

test.each([
  [['create-key', '1', '--expires', '2026-02-31'], /^--expires should be a date such as/],
  [['create-key', '1', '--expires', '2020-01-01'], /^--expires should be in the future/],
  [['create-key', '1', '--spend-limit=-1'], /^--spend-limit should be/],
  [['create-key', '1', '--rate', '0'], /^--rate should be a whole number/],
  [['keys', '999999'], 'There is no account 999999'],
  [['change-key', 'nobody', '--name', 'x'], 'There is no such key, or it is revoked'],
  [['change-key', 'nobody'], /^Nothing to change: use one of --name/],
])('account %j is refused', async (args, sentence) => {
  await fundedAccount(pool, 0n)

  await expect(account(...args)).rejects.toThrow(sentence)
})
