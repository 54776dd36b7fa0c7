import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TakenRow, Visit } from '../../../src/platform/database/due-rows.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
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
  const { work } = await parcels.addProcess()
  const visited = Promise.withResolvers<void>()
  work(async () => void visited.resolve())
  const insertedAt = performance.now()

  await parcels.insert([1])
  await visited.promise

  // It looks by itself only every five seconds.
  expect(performance.now() - insertedAt).toBeLessThan(4_000)
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

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

test('processes that share rows never visit one at once, and visit each as often as it is due', async () => {
  const visits = new Map<string, number>()
  const running = new Set<string>()
  const overlaps: string[] = []
  const visit: Visit = async ({ id }) => {
    if (running.has(id)) overlaps.push(id)
    running.add(id)
    await new Promise((done) => setTimeout(done, 5))
    running.delete(id)
    const count = (visits.get(id) ?? 0) + 1
    visits.set(id, count)
    return count < 3 ? 10 : undefined
  }
  for (const { work } of [
    await parcels.addProcess(),
    await parcels.addProcess(),
    await parcels.addProcess(),
  ]) {
    work(visit, { concurrency: 7 })
  }

  await parcels.insert(range(40))

  const open = () => parcels.pool.query('SELECT FROM parcel WHERE due_at IS NOT NULL')
  await expect.poll(async () => (await open()).rowCount, { timeout: 20_000 }).toBe(0)
  expect(overlaps).toEqual([])
  expect([...visits.values()]).toEqual(Array(40).fill(3))
})

test('what a process held that has ended is visited by another at once', async () => {
  const [dying, other] = [await parcels.addProcess(), await parcels.addProcess()]
  await parcels.insert(range(3))
  let held = 0
  dying.work((_row, signal) => {
    held += 1
    return untilAborted(signal)
  })
  await expect.poll(() => held).toBe(3)
  const rows: TakenRow[] = []
  other.work(async (row) => void rows.push(row))

  await dying.instance.release()

  await expect
    .poll(() => rows.map(({ id }) => id).sort(), { timeout: 20_000 })
    .toEqual(['1', '2', '3'])
})

test.each([
  ['taken', 'FOR UPDATE SKIP LOCKED'],
  ['given back', 'failed_visits = $4'],
])('rows that were %s without an answer are visited all the same', async (_what, statement) => {
  let isLost = false
  const query = async (text: string, values: unknown[]) => {
    const result = await parcels.pool.query(text, values)
    if (isLost || !text.includes(statement)) return result
    isLost = true
    throw new Error('Connection terminated unexpectedly')
  }
  const { work, errors } = await parcels.addProcess({ query: query as pg.Pool['query'] })
  let visits = 0
  await parcels.insert([1])

  work(async () => {
    visits += 1
    return 1
  })

  await expect.poll(() => visits, { timeout: 20_000 }).toBeGreaterThan(3)
  expect(errors).toHaveLength(1)
})

test('a row that a living process has leased is left alone until that process has ended', async () => {
  const owner = await registerInstance({ url: parcels.url, onError: () => {} })
  await parcels.insert([1, 2])
  await parcels.pool.query('UPDATE parcel SET lease_owner = $1 WHERE id = 1', [owner.id])
  const { work } = await parcels.addProcess()
  const visited: string[] = []
  work(async ({ id }) => void visited.push(id))
  await expect.poll(() => visited).toEqual(['2'])

  await owner.release()

  await expect.poll(() => visited).toEqual(['2', '1'])
})

test('a process that has ended in the eyes of the others takes no row, though it does not know yet', async () => {
  const { instance, work } = await parcels.addProcess()
  const { work: workBeside } = await parcels.addProcess()
  await parcels.pool.query('DELETE FROM public.instance WHERE id = $1', [instance.id])
  const visited: string[] = []
  work(async () => void visited.push('by the ended process'))
  await parcels.insert([1])

  workBeside(async () => void visited.push('beside it'))

  await expect.poll(() => visited).toEqual(['beside it'])
})

test('what a process writes to a row that another took over changes nothing', async () => {
  const { work } = await parcels.addProcess()
  const gate = Promise.withResolvers<number>()
  const begun = Promise.withResolvers<void>()
  const worker = work(() => {
    begun.resolve()
    return gate.promise
  })
  await parcels.insert([1])
  await begun.promise
  const { instance: other } = await parcels.addProcess()
  await parcels.pool.query('UPDATE parcel SET lease_owner = $1, due_at = now()', [other.id])

  gate.resolve(60_000)
  await worker.stop(5000)

  expect(await parcels.find(1)).toMatchObject({ leaseOwner: other.id, dueInS: 0 })
})

test('stop() lets a visit end that is about to, and takes no more rows', async () => {
  const { work } = await parcels.addProcess()
  const gate = Promise.withResolvers<undefined>()
  const visited: string[] = []
  const worker = work(({ id }) => {
    visited.push(id)
    return gate.promise
  })
  await parcels.insert([1])
  await expect.poll(() => visited).toEqual(['1'])

  const stopping = worker.stop(20_000)
  await parcels.insert([2])
  gate.resolve(undefined)
  await stopping

  expect(await parcels.find(1)).toMatchObject(ENDED)
  expect(await parcels.find(2)).toMatchObject({ isDue: true, leaseOwner: null })
  expect(visited).toEqual(['1'])
})

test('stop() cuts off visits that do not end and gives their rows back, due at once', async () => {
  const [stopped, other] = [await parcels.addProcess(), await parcels.addProcess()]
  const running = new Set<string>()
  const worker = stopped.work(({ id }, signal) => {
    running.add(id)
    return untilAborted(signal)
  })
  await parcels.insert(range(3))
  await expect.poll(() => running.size).toBe(3)
  const visited: string[] = []
  other.work(async ({ id }) => void visited.push(id))

  await worker.stop(0)

  // Processes that share a table look by themselves every five seconds.
  await expect.poll(() => visited.sort(), { timeout: 4500 }).toEqual(['1', '2', '3'])
  await expect.poll(() => parcels.find(1)).toMatchObject(ENDED)
})

test('a row that is made due during its visit is visited again at once, also where the visit says otherwise', async () => {
  const { work } = await parcels.addProcess()
  const gate = Promise.withResolvers<void>()
  const visits: string[] = []
  work(async ({ id }) => {
    visits.push(id)
    if (visits.length === 1) await gate.promise
    return 3_600_000
  })
  await parcels.insert([1])
  await expect.poll(() => visits).toEqual(['1'])

  await parcels.pool.query(
    "WITH woken AS (UPDATE parcel SET due_at = now() RETURNING 1) SELECT pg_notify('public.parcel', '') FROM woken",
  )
  gate.resolve()

  await expect.poll(() => visits, { timeout: 20_000 }).toEqual(['1', '1'])
})
