import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { RowLeases } from '../../../src/platform/jobs/row-leases.ts'
import { createTestClock } from '../database/test-clock.ts'
import { createTestDatabase } from '../database/test-database.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const LOOK = { limit: 10 }

async function openLeases() {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  const pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  await pool.query(`
    CREATE TABLE public.parcel (id bigint PRIMARY KEY, due_at timestamptz,
      failed_visits int NOT NULL DEFAULT 0, lease_owner int);
    INSERT INTO public.instance (id, works) VALUES (1, '{}')`)
  const leases = new RowLeases(pool, { table: { name: 'public.parcel', key: 'id' }, leaseOwner: 1 })
  const insert = (id: number, inMs: number) =>
    pool.query(`INSERT INTO public.parcel (id, due_at) VALUES ($1, now() + $2 * interval '1 ms')`, [
      id,
      inMs,
    ])
  return { clock, leases, insert }
}

test('what is due in a while is due after that while, although the clock of the database goes back by an hour', async () => {
  const { clock, leases, insert } = await openLeases()
  await insert(1, MINUTE_MS)
  await insert(2, 2 * HOUR_MS)
  const before = await leases.take(LOOK)

  await clock.advance(-HOUR_MS)
  const noticed = await leases.take(LOOK)
  const after = await leases.take(LOOK)
  await clock.advance(MINUTE_MS)
  const { taken, nextInMs } = await leases.take(LOOK)

  expect(before).toMatchObject({ taken: [], nextInMs: expect.closeTo(MINUTE_MS, -4) })
  // The next look is at once.
  expect(noticed).toMatchObject({ taken: [], nextInMs: 0 })
  expect(after).toMatchObject({ taken: [], nextInMs: expect.closeTo(MINUTE_MS, -4) })
  expect(taken.map(({ id }) => id)).toEqual(['1'])
  expect(nextInMs).toBeCloseTo(2 * HOUR_MS - MINUTE_MS, -4)
})

test('a clock that goes forward leaves what is due as it is', async () => {
  const { clock, leases, insert } = await openLeases()
  await insert(1, 2 * HOUR_MS)
  await leases.take(LOOK)

  await clock.advance(HOUR_MS)
  const { taken, nextInMs } = await leases.take(LOOK)

  expect(taken).toEqual([])
  expect(nextInMs).toBeCloseTo(HOUR_MS, -4)
})
