import { describe, expect, onTestFinished, test } from 'vitest'
import { isDatabaseTrouble } from '../../src/database/trouble.ts'
import { openTestDatabase, type TestDatabase } from './open-test-database.ts'
import { createTestDatabase } from './test-database.ts'

const WAYS = {
  pool: ({ pool }: TestDatabase, sql: string) => pool.query(sql),
  'Prisma Client': ({ prisma }: TestDatabase, sql: string) => prisma.$queryRawUnsafe(sql),
}

describe.each(Object.entries(WAYS))('by %s', (way, query) => {
  test(`a database that is not there is trouble, asked by ${way}`, async () => {
    const database = await open({ port: '1' })

    expect(isDatabaseTrouble(await errorOf(query(database, 'SELECT 1')))).toBe(true)
  })

  test(`a connection that the database ends is trouble, met by ${way}`, async () => {
    const database = await open()
    const ends = 'SELECT pg_terminate_backend(pg_backend_pid())'

    expect(isDatabaseTrouble(await errorOf(query(database, ends)))).toBe(true)
  })

  test(`a mistake in a statement is no trouble, met by ${way}`, async () => {
    const database = await open()

    expect(isDatabaseTrouble(await errorOf(query(database, 'SELECT nothing')))).toBe(false)
  })
})

async function open({ port }: { port?: string } = {}): Promise<TestDatabase> {
  const url = new URL(await createTestDatabase())
  if (port !== undefined) url.port = port
  const database = openTestDatabase({ url: url.href, onIdleError: () => {} })
  onTestFinished(database.close)
  return database
}

async function errorOf(query: Promise<unknown>): Promise<unknown> {
  return query.then(
    () => undefined,
    (error: unknown) => error,
  )
}
