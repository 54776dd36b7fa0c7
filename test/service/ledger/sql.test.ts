import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { inTransaction } from '../../../src/service/ledger/sql.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'

// Promise: A connection breaks inside a transaction of the service
test('a connection that breaks inside a transaction fails it, and does not end the process', async () => {
  const pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 2 })
  onTestFinished(() => pool.end())

  const broken = inTransaction(pool, (sql) =>
    sql.query('SELECT pg_terminate_backend(pg_backend_pid())'),
  )

  await expect(broken).rejects.toThrow(/terminat/)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
