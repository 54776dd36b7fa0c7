import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey, revokeApiKey, toPublicId } from '../../../src/service/ledger/api-keys.ts'
import { createRememberedKeys } from '../../../src/service/ledger/remembered-keys.ts'
import { createTestDatabase } from '../../database/test-database.ts'
import { fundedAccount } from './ledger-fixture.ts'

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
})
afterAll(() => pool.end())

/** What one process remembers, and the keys whose use it was told of. */
function createProcess({ keysMax = 10 } = {}) {
  const used: string[] = []
  const keys = createRememberedKeys({ sql: pool, keysMax, onUse: (key) => used.push(key) })
  return { keys, used }
}

test('a key is recalled once it was found, and each use of it is told', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const key = await createApiKey(pool, accountId)
  const { keys, used } = createProcess()

  const before = keys.recall(key)
  const found = await keys.find(key)
  const after = keys.recall(key)

  expect(before).toBeUndefined()
  expect(found).toEqual({ id: accountId, keyId: toPublicId(key) })
  expect(after).toEqual(found)
  expect(used).toEqual([key, key])
})

test('a key with anything changed is not recalled, and makes nobody forget the right one', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  const { keys, used } = createProcess()
  await keys.find(key)
  const wrong = `${key.slice(0, -43)}${'x'.repeat(43)}`

  const recalled = ['', 'kopeck', wrong, `${key}=`].map((each) => keys.recall(each))
  const found = await keys.find(wrong)
  keys.forget(wrong)

  expect(new Set([...recalled, found])).toEqual(new Set([undefined]))
  expect(keys.recall(key)).toBeDefined()
  expect(used).toEqual([key, key])
})

test('a key is forgotten when it is found to be revoked, and when it is told to be', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const [revoked, other] = [
    await createApiKey(pool, accountId),
    await createApiKey(pool, accountId),
  ]
  const { keys } = createProcess()
  for (const key of [revoked, other]) await keys.find(key)
  await revokeApiKey(pool, revoked)

  const hint = keys.recall(revoked)
  const found = await keys.find(revoked)
  keys.forget(other)

  expect(hint).toBeDefined()
  expect(found).toBeUndefined()
  expect([keys.recall(revoked), keys.recall(other)]).toEqual([undefined, undefined])
})

test('no more keys are remembered than may be: the one found first goes', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const made: string[] = []
  for (let key = 0; key < 3; key += 1) made.push(await createApiKey(pool, accountId))
  const [first = '', second = '', third = ''] = made
  const { keys } = createProcess({ keysMax: 2 })

  for (const key of [first, second, first, third]) await keys.find(key)

  expect(made.map((key) => keys.recall(key) !== undefined)).toEqual([true, false, true])
})
