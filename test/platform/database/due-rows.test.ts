import { afterEach, beforeEach, expect, test } from 'vitest'
import { ENDED, openParcels, type Parcels, range } from './due-rows-setup.ts'

let parcels: Parcels

beforeEach(async () => {
  parcels = await openParcels()
})
afterEach(() => parcels.close())

/** Has the database record each time how long a row waits after a failed visit: a look at it may come later than its end. */
const NOTE_DELAYS = `
  CREATE TABLE delay (failed_visits int, seconds int);
  CREATE FUNCTION note_delay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO delay VALUES (NEW.failed_visits, round(extract(epoch FROM NEW.due_at - now())));
    RETURN NEW;
  END $$;
  CREATE TRIGGER note_delay AFTER UPDATE ON parcel FOR EACH ROW
    WHEN (NEW.failed_visits > OLD.failed_visits) EXECUTE FUNCTION note_delay()`

test('rows that are due at the start are visited once each and have nothing more to do', async () => {
  await parcels.insert(range(50))
  const { work } = await parcels.addProcess()
  const visited: number[] = []

  work(async ({ id }) => void visited.push(Number(id)))

  await expect.poll(async () => (await parcels.find(50))?.isDue).toBe(false)
  await expect.poll(() => visited.length).toBe(50)
  expect(visited.sort((a, b) => a - b)).toEqual(range(50))
  await expect.poll(() => parcels.find(1)).toMatchObject(ENDED)
})

test('a notification wakes a process that sleeps', async () => {
  const { work, queries } = await parcels.addProcess()
  const visited = Promise.withResolvers<void>()
  work(async () => void visited.resolve())
  // It may look twice: at first, and when it has begun to listen.
  await expect.poll(() => queries.length).toBeGreaterThanOrEqual(1)

  const insertedAt = performance.now()
  await parcels.insert([1])
  await visited.promise

  // It looks by itself only once a minute.
  expect(performance.now() - insertedAt).toBeLessThan(20_000)
})

test('a row that is due again is visited again, and not earlier', async () => {
  const { work } = await parcels.addProcess()
  const visitedAt: number[] = []
  work(async () => {
    visitedAt.push(performance.now())
    return visitedAt.length < 3 ? 300 : undefined
  })

  await parcels.insert([1])

  await expect.poll(() => visitedAt.length).toBe(3)
  const [first = 0, second = 0, third = 0] = visitedAt
  expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(295)
})

test('a visit that throws is made again, later and later up to a minute, and then forgotten', async () => {
  const { work, errors } = await parcels.addProcess()
  await parcels.pool.query(NOTE_DELAYS)
  const delays = async () => {
    const { rows } = await parcels.pool.query('SELECT seconds FROM delay ORDER BY failed_visits')
    return rows.map(({ seconds }) => seconds)
  }
  let visits = 0
  work(async () => {
    visits += 1
    if (visits <= 8) throw new Error('not this time')
    return undefined
  })
  await parcels.insert([1])

  for (let failedVisits = 1; failedVisits <= 8; failedVisits += 1) {
    await expect.poll(async () => (await delays()).length).toBeGreaterThanOrEqual(failedVisits)
    // On a slow machine its time may have come by itself.
    await parcels.pool.query(`UPDATE parcel SET due_at = now() WHERE lease_owner IS NULL`)
    await parcels.pool.query(`NOTIFY "public.parcel"`)
  }

  expect(await delays()).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  await expect.poll(() => parcels.find(1)).toMatchObject(ENDED)
  expect(errors).toHaveLength(8)
})

test('no more rows are visited at once than a process may, and a slow one holds up no other', async () => {
  const { work } = await parcels.addProcess()
  const gate = Promise.withResolvers<undefined>()
  let running = 0
  let most = 0
  const ended: number[] = []
  work(
    async ({ id }) => {
      running += 1
      most = Math.max(most, running)
      await (id === '1' ? gate.promise : null)
      running -= 1
      ended.push(Number(id))
      return undefined
    },
    { concurrency: 2 },
  )

  await parcels.insert(range(10))
  await expect.poll(() => ended.length).toBe(9)
  gate.resolve(undefined)
  await expect.poll(() => ended.length).toBe(10)

  expect(most).toBe(2)
  expect(ended.at(-1)).toBe(1)
})
