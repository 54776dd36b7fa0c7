import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { type Plan, recordPlans } from './read-plans.ts'

test('each statement is listed with the tables that it read from end to end, and how many rows in all', async () => {
  const pool = new pg.Pool({
    connectionString: await createTestDatabase(),
    max: 1,
    idleTimeoutMillis: 1,
  })
  onTestFinished(() => pool.end())
  await pool.query(`
    CREATE TABLE public.kept (id int PRIMARY KEY, other int);
    INSERT INTO public.kept SELECT number, number FROM generate_series(1, 5000) AS number;
    ANALYZE public.kept`)
  const readPlans = await recordPlans(pool)
  await expect.poll(() => pool.idleCount).toBe(0)

  await pool.query('SELECT 1 FROM public.kept WHERE id = 7')
  await pool.query('SELECT 1 FROM public.kept WHERE other = 7')
  await pool.query('DELETE FROM public.kept WHERE id <= 2')

  const plans: Pick<Plan, 'rows' | 'rowsRead' | 'scanned'>[] = []
  for await (const { statement, rows, rowsRead, scanned } of readPlans()) {
    if (statement.includes('public.kept')) plans.push({ rows, rowsRead, scanned })
  }
  expect(plans).toEqual([
    { rows: 1, rowsRead: 1, scanned: new Map() },
    { rows: 1, rowsRead: 5000, scanned: new Map([['public.kept', 5000]]) },
    { rows: 2, rowsRead: 2, scanned: new Map() },
  ])
})
