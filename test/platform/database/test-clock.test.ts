import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestClock } from './test-clock.ts'
import { createTestDatabase } from './test-database.ts'

const HOUR_MS = 3_600_000

async function openClock() {
  const url = await createTestDatabase()
  const clock = await createTestClock(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return { clock, read }

  async function read(): Promise<{ now: number; clockTimestamp: number; real: number }> {
    const { rows } = await client.query<{ now: Date; clockTimestamp: Date; real: Date }>(
      `SELECT now(), clock_timestamp() AS "clockTimestamp", pg_catalog.clock_timestamp() AS real`,
    )
    const [row] = rows
    if (row === undefined) throw new Error('The database has no time')
    return {
      now: row.now.getTime(),
      clockTimestamp: row.clockTimestamp.getTime(),
      real: row.real.getTime(),
    }
  }
}

test('a test clock runs as the machine does until it is moved, by as much as it is moved', async () => {
  const { clock, read } = await openClock()
  const before = await read()

  await clock.advance(HOUR_MS)
  const after = await read()

  expect(before.now).toBeCloseTo(before.real, -3)
  expect(after.now - after.real).toBeCloseTo(HOUR_MS, -3)
  expect(after.clockTimestamp - after.real).toBeCloseTo(HOUR_MS, -3)
})

test('a test clock that is stopped does not run, and is moved all the same', async () => {
  const { clock, read } = await openClock()

  await clock.stopAt(new Date(5000))
  const before = await read()
  await clock.advance(250)

  expect(before).toMatchObject({ now: 5000, clockTimestamp: 5000 })
  expect(await read()).toMatchObject({ now: 5250, clockTimestamp: 5250 })
})
