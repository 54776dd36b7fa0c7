import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  toPublicId,
} from '../../../src/service/ledger/api-keys.ts'
import { createKeyUse } from '../../../src/service/ledger/key-use.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'
import { createTestDatabase } from '../../database/test-database.ts'
import { startTestService } from '../service-fixture.ts'
import { fundedAccount } from './ledger-fixture.ts'

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase() })
})
afterAll(() => pool.end())

/** One process, with a clock of its own, that counts its writes. */
function createProcess() {
  const clock = { ms: 0 }
  const statements: string[] = []
  const query = (statement: { name: string; text: string }) => {
    statements.push(statement.name)
    return pool.query(statement)
  }
  const keyUse = createKeyUse({
    sql: { query } as unknown as Sql,
    onError: () => expect.unreachable(),
    nowMs: () => clock.ms,
  })
  return { clock, statements, keyUse }
}

async function lastUsedAt(key: string): Promise<Date | undefined> {
  const keys = await listApiKeys(pool)
  return keys.find(({ publicId }) => publicId === toPublicId(key))?.lastUsedAt
}

test('a use is written once a minute for each key, however often it is used', async () => {
  const accountId = await fundedAccount(pool, 0n)
  const [first, second] = [await createApiKey(pool, accountId), await createApiKey(pool, accountId)]
  const { clock, statements, keyUse } = createProcess()

  for (const ms of [0, 1, 30_000, 59_999]) {
    clock.ms = ms
    keyUse.note(first)
  }
  const before = statements.length
  clock.ms = 60_000
  keyUse.note(first)
  await keyUse.settle()

  expect([before, statements.length]).toEqual([1, 2])
  expect(await lastUsedAt(first)).toBeInstanceOf(Date)
  expect(await lastUsedAt(second)).toBeUndefined()
})

test('what another process wrote a moment ago is left alone', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  const [one, other] = [createProcess(), createProcess()]
  one.keyUse.note(key)
  await one.keyUse.settle()
  const written = await lastUsedAt(key)

  other.keyUse.note(key)
  await other.keyUse.settle()

  expect(await lastUsedAt(key)).toEqual(written)
  await pool.query(`UPDATE service.api_key SET last_used_at = now() - interval '1 minute'`)
  createProcess().keyUse.note(key)
  await expect.poll(() => lastUsedAt(key)).not.toEqual(written)
})

test('the time of a revoked key stays as it is', async () => {
  const key = await createApiKey(pool, await fundedAccount(pool, 0n))
  await revokeApiKey(pool, key)
  const { keyUse } = createProcess()

  keyUse.note(key)
  await keyUse.settle()

  expect(await lastUsedAt(key)).toBeUndefined()
})

test('a database that is away hinders nobody', async () => {
  const errors: string[] = []
  const query = () => Promise.reject(new Error('away'))
  const keyUse = createKeyUse({
    sql: { query } as unknown as Sql,
    onError: ({ message }) => errors.push(message),
  })

  keyUse.note(`kopeck_0123456789abcdef_${'x'.repeat(43)}`)
  await keyUse.settle()

  expect(errors).toEqual(['away'])
})

test('a request notes the key it came with, and a refused key is not noted', async () => {
  await using kopeck = await startTestService()
  const revoked = await createApiKey(kopeck.pool, kopeck.accountId)
  await kopeck.pool.query('UPDATE service.api_key SET revoked_at = now() WHERE public_id = $1', [
    toPublicId(revoked),
  ])

  await kopeck.call('/balance')
  await kopeck.call('/balance', { headers: { authorization: `Bearer ${revoked}` } })
  await kopeck.service.stop(0)

  const keys = await listApiKeys(kopeck.pool)
  expect(keys.map((key) => [key.publicId, key.lastUsedAt !== undefined]).sort()).toEqual(
    [
      [toPublicId(kopeck.apiKey), true],
      [toPublicId(revoked), false],
    ].sort(),
  )
})
