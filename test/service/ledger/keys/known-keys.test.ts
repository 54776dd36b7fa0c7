import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  toPublicId,
} from '../../../../src/service/ledger/keys/api-keys.ts'
import { createKnownKeys } from '../../../../src/service/ledger/keys/known-keys.ts'
import type { Sql } from '../../../../src/service/ledger/sql.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { startTestService } from '../../service-fixture.ts'
import { fundedAccount } from '../ledger-fixture.ts'

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
})
afterAll(() => pool.end())

function createProcess({
  keysMax = 10,
  onError = () => expect.unreachable(),
  onWrite = async () => {},
}: {
  keysMax?: number
  onError?: () => void
  onWrite?: () => Promise<void>
} = {}) {
  const clock = { ms: 0 }
  const statements: string[] = []
  const query = async (statement: { name: string; text: string }) => {
    statements.push(statement.name)
    if (statement.name === 'api-key-record-use') await onWrite()
    return await pool.query(statement)
  }
  const sql = { query } as unknown as Sql
  const keys = createKnownKeys({ sql, onError, keysMax, nowMs: () => clock.ms })
  const writes = () => statements.filter((name) => name === 'api-key-record-use').length
  return { clock, writes, keys }
}

async function lastUsedAt(key: string): Promise<Date | null | undefined> {
  const keys = await listApiKeys(pool)
  return keys.find(({ publicId }) => publicId === toPublicId(key))?.lastUsedAt
}

test('a key is recalled once it was found', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const key = await createApiKey(pool, accountId)
  const { keys } = createProcess()

  const before = keys.recall(key)
  const found = await keys.find(key)
  const after = keys.recall(key)

  expect(before).toBeUndefined()
  expect(found).toMatchObject({ id: accountId, keyId: toPublicId(key) })
  expect(after).toEqual(found)
})

test('a key with anything changed is not recalled, and makes nobody forget the right one', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  const { keys } = createProcess()
  await keys.find(key)
  const wrong = `${key.slice(0, -43)}${'x'.repeat(43)}`

  const recalled = ['', 'kopeck', wrong, `${key}=`].map((each) => keys.recall(each))
  const found = await keys.find(wrong)
  keys.forget(wrong)

  expect(new Set([...recalled, found])).toEqual(new Set([undefined]))
  expect(keys.recall(key)).toBeDefined()
})

test('a key is forgotten when it is found to be revoked, and by forget()', async () => {
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

test('a use is written once a minute for each key, however often it is used', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const [first, second] = [await createApiKey(pool, accountId), await createApiKey(pool, accountId)]
  const { clock, writes, keys } = createProcess()
  await keys.find(first)

  for (const ms of [0, 1, 30_000, 59_999]) {
    clock.ms = ms
    keys.recall(first)
    await keys.find(first)
  }
  const before = writes()
  clock.ms = 60_000
  keys.recall(first)
  await keys.settle()

  expect([before, writes()]).toEqual([1, 2])
  expect(await lastUsedAt(first)).toBeInstanceOf(Date)
  expect(await lastUsedAt(second)).toBeNull()
})

test('what another process wrote a moment ago is left alone', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  const [one, other] = [createProcess(), createProcess()]
  await one.keys.find(key)
  await one.keys.settle()
  const written = await lastUsedAt(key)

  await other.keys.find(key)
  await other.keys.settle()

  expect(await lastUsedAt(key)).toEqual(written)
  await pool.query(`UPDATE service.api_key SET last_used_at = now() - interval '1 minute'`)
  await createProcess().keys.find(key)
  await expect.poll(() => lastUsedAt(key)).not.toEqual(written)
})

test('the time of a revoked key stays as it is', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  const { clock, writes, keys } = createProcess()
  await keys.find(key)
  await keys.settle()
  await revokeApiKey(pool, key)
  await pool.query('UPDATE service.api_key SET last_used_at = NULL')

  clock.ms = 60_000
  keys.recall(key)
  await keys.settle()

  expect(writes()).toBe(2)
  expect(await lastUsedAt(key)).toBeNull()
})

test('a use that cannot be written hinders no request', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  const onError = vi.fn()
  const away = new Error('away')
  const { keys } = createProcess({ onError, onWrite: () => Promise.reject(away) })

  const found = await keys.find(key)
  await keys.settle()

  expect(found).toBeDefined()
  expect(onError.mock.calls).toEqual([[away]])
})

test('a request records the key it came with, and a refused key is not recorded', async () => {
  await using kopeck = await startTestService()
  const revoked = await createApiKey(kopeck.pool, kopeck.accountId)
  await kopeck.pool.query('UPDATE service.api_key SET revoked_at = now() WHERE public_id = $1', [
    toPublicId(revoked),
  ])

  await kopeck.call('/balance')
  await kopeck.call('/balance', { headers: { authorization: `Bearer ${revoked}` } })
  await kopeck.service.stop(0)

  const keys = await listApiKeys(kopeck.pool)
  expect(keys.map((key) => [key.publicId, key.lastUsedAt !== null]).sort()).toEqual(
    [
      [toPublicId(kopeck.apiKey), true],
      [toPublicId(revoked), false],
    ].sort(),
  )
})
