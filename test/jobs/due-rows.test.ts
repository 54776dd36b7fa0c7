import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { registerInstance } from '../../src/database/instance.ts'
import { createNotifications } from '../../src/database/notifications.ts'
import { createDueRows, type DueRowsWork, type Visit } from '../../src/jobs/due-rows.ts'
import { createTestDatabase } from '../database/test-database.ts'

/** What plans the looks of a worker. */
const LOOKS = { toFake: ['setTimeout' as const, 'clearTimeout' as const, 'performance' as const] }
const TABLE = { name: 'public.parcel', key: 'id' }

let url: string
let pool: pg.Pool
const closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
  await pool.query(`CREATE TABLE parcel (
    id bigint PRIMARY KEY, kind text, due_at timestamptz, failed_visits int NOT NULL DEFAULT 0,
    lease_owner int)`)
})
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0).reverse()) await close()
  await pool.end()
})

/** A process that may work on parcels. */
async function addProcess() {
  const errors: unknown[] = []
  const queries: string[] = []
  let answered: Promise<unknown> | undefined
  const instance = await registerInstance(url, () => {})
  const notifications = createNotifications(instance.session)
  const dueRows = createDueRows({
    pool: {
      query: (text: string, values: unknown[]) => {
        queries.push(text)
        answered = pool.query(text, values)
        return answered
      },
    } as pg.Pool,
    instance,
    notifications,
    log: { error: (facts: { err: unknown }) => void errors.push(facts.err) } as never,
  })
  closers.push(instance.release)
  return { instance, errors, queries, whenAnswered: async () => void (await answered), work }

  function work(visit: Visit, options: Partial<DueRowsWork> = {}) {
    const worker = dueRows.work({ table: TABLE, concurrency: 200, visit, ...options })
    closers.push(() => worker.stop(0))
    return worker
  }
}

/** Inserts parcels as their owners do: due by the statement that writes them, which also tells of it. */
async function insert(ids: readonly number[], { inMs = 0, kind = '' } = {}): Promise<void> {
  await pool.query(
    `WITH parcel AS (
       INSERT INTO parcel (id, kind, due_at)
       SELECT id, $3, now() + $2 * interval '1 ms' FROM unnest($1::bigint[]) AS id RETURNING id)
     SELECT pg_notify('public.parcel', '') FROM parcel`,
    [ids, inMs, kind],
  )
}

async function parcel(id: number) {
  const { rows } = await pool.query(
    `SELECT due_at IS NOT NULL AS "isDue", failed_visits AS "failedVisits", lease_owner AS "leaseOwner",
       round(extract(epoch FROM due_at - now()))::int AS "dueInS"
     FROM parcel WHERE id = $1`,
    [id],
  )
  return rows[0]
}

const ENDED = { isDue: false, failedVisits: 0, leaseOwner: null }
const range = (length: number) => Array.from({ length }, (_, index) => index + 1)

/** Ends when the signal is aborted, as a call to another server does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

test('rows that are due at the start are visited once each and have nothing more to do', async () => {
  await insert(range(50))
  const { work } = await addProcess()
  const visited: number[] = []

  work(async (id) => void visited.push(Number(id)))

  await expect.poll(async () => (await parcel(50))?.isDue).toBe(false)
  await expect.poll(() => visited.length).toBe(50)
  expect(visited.sort((a, b) => a - b)).toEqual(range(50))
  await expect.poll(() => parcel(1)).toMatchObject(ENDED)
})

test('a notification wakes a process that sleeps', async () => {
  const { work, queries } = await addProcess()
  const visited = Promise.withResolvers<void>()
  work(async () => void visited.resolve())
  await expect.poll(() => queries.length).toBeGreaterThanOrEqual(2)

  const insertedAt = performance.now()
  await insert([1])
  await visited.promise

  // It looks by itself only every five seconds.
  expect(performance.now() - insertedAt).toBeLessThan(2500)
})

test('a row is visited when it is due, and not earlier', async () => {
  const { work } = await addProcess()
  const visited = Promise.withResolvers<number>()
  work(async () => {
    visited.resolve(performance.now())
    return undefined
  })

  const insertedAt = performance.now()
  await insert([1], { inMs: 400 })

  expect((await visited.promise) - insertedAt).toBeGreaterThanOrEqual(395)
})

test('a row that is due again is visited again, and not earlier', async () => {
  const { work } = await addProcess()
  const visitedAt: number[] = []
  work(async () => {
    visitedAt.push(performance.now())
    return visitedAt.length < 3 ? 300 : undefined
  })

  await insert([1])

  await expect.poll(() => visitedAt.length, { timeout: 5000 }).toBe(3)
  const [first = 0, second = 0, third = 0] = visitedAt
  expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(295)
})

test('a visit that throws is made again, later and later up to a minute, and then forgotten', async () => {
  const { work, errors } = await addProcess()
  let fails = true
  work(async () => {
    if (fails) throw new Error('not this time')
    return undefined
  })
  await insert([1])
  const delays: number[] = []

  for (let failedVisits = 1; failedVisits <= 8; failedVisits += 1) {
    await expect.poll(() => parcel(1)).toMatchObject({ failedVisits, leaseOwner: null })
    delays.push((await parcel(1)).dueInS)
    if (failedVisits === 8) fails = false
    await pool.query(`UPDATE parcel SET due_at = now()`)
    await pool.query(`NOTIFY "public.parcel"`)
  }

  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  await expect.poll(() => parcel(1)).toMatchObject(ENDED)
  expect(errors).toHaveLength(8)
})

test('a visit that throws leaves its neighbours alone', async () => {
  const { work } = await addProcess()
  work(async (id) => {
    if (id === '1') throw new Error('not this time')
    return undefined
  })

  await insert([1, 2])

  await expect.poll(() => parcel(2)).toMatchObject(ENDED)
  await expect.poll(() => parcel(1)).toMatchObject({ isDue: true, failedVisits: 1 })
})

test('processes that share rows never visit one at once, and visit each as often as it is due', async () => {
  const visits = new Map<string, number>()
  const running = new Set<string>()
  const overlaps: string[] = []
  const visit: Visit = async (id) => {
    if (running.has(id)) overlaps.push(id)
    running.add(id)
    await new Promise((done) => setTimeout(done, 5))
    running.delete(id)
    const count = (visits.get(id) ?? 0) + 1
    visits.set(id, count)
    return count < 3 ? 10 : undefined
  }
  for (const { work } of [await addProcess(), await addProcess(), await addProcess()]) {
    work(visit, { concurrency: 7 })
  }

  await insert(range(40))

  await expect
    .poll(async () => (await pool.query('SELECT FROM parcel WHERE due_at IS NULL')).rowCount, {
      timeout: 20_000,
    })
    .toBe(40)
  expect(overlaps).toEqual([])
  expect([...visits.values()]).toEqual(Array(40).fill(3))
})

test('no more rows are visited at once than a process may, and a slow one holds up no other', async () => {
  const { work } = await addProcess()
  const gate = Promise.withResolvers<undefined>()
  let running = 0
  let most = 0
  const ended: number[] = []
  work(
    async (id) => {
      running += 1
      most = Math.max(most, running)
      await (id === '1' ? gate.promise : null)
      running -= 1
      ended.push(Number(id))
      return undefined
    },
    { concurrency: 2 },
  )

  await insert(range(10))
  await expect.poll(() => ended.length, { timeout: 5000 }).toBe(9)
  gate.resolve(undefined)
  await expect.poll(() => ended.length).toBe(10)

  expect(most).toBe(2)
  expect(ended.at(-1)).toBe(1)
})

test('200 quick visits run at once', async () => {
  const { work } = await addProcess()
  const gate = Promise.withResolvers<undefined>()
  let running = 0
  work(() => {
    running += 1
    return gate.promise
  })

  await insert(range(250))

  await expect.poll(() => running).toBe(200)
  gate.resolve(undefined)
  await expect.poll(() => running).toBe(250)
})

test('a row that a living process has leased is left alone until that process has ended', async () => {
  const owner = await registerInstance(url, () => {})
  await insert([1])
  await pool.query('UPDATE parcel SET lease_owner = $1', [owner.id])
  const { work, queries } = await addProcess()
  vi.useFakeTimers({ ...LOOKS, shouldAdvanceTime: true })
  const visited: string[] = []
  work(async (id) => void visited.push(id))
  await expect.poll(() => queries.length).toBeGreaterThanOrEqual(1)
  expect(visited).toEqual([])

  await owner.release()

  const lookAgain = async () => {
    await vi.advanceTimersByTimeAsync(5000)
    return visited
  }
  await expect.poll(lookAgain).toEqual(['1'])
})

test('what a process still writes of a row that another took over changes nothing', async () => {
  const { work } = await addProcess()
  const gate = Promise.withResolvers<number>()
  const begun = Promise.withResolvers<void>()
  const worker = work(() => {
    begun.resolve()
    return gate.promise
  })
  await insert([1])
  await begun.promise
  const { instance: other } = await addProcess()
  await pool.query('UPDATE parcel SET lease_owner = $1, due_at = now()', [other.id])

  gate.resolve(60_000)
  await worker.stop(5000)

  expect(await parcel(1)).toMatchObject({ leaseOwner: other.id, dueInS: 0 })
})

test('a row whose lease could not be ended is visited again by the same process', async () => {
  const { work, errors } = await addProcess()
  let visits = 0
  work(async () => {
    visits += 1
    if (visits === 1) await pool.query('ALTER TABLE parcel RENAME COLUMN failed_visits TO away')
    return undefined
  })

  await insert([1])
  await expect.poll(() => errors.length).toBeGreaterThanOrEqual(1)
  await pool.query('ALTER TABLE parcel RENAME COLUMN away TO failed_visits')

  await expect.poll(() => parcel(1), { timeout: 5000 }).toMatchObject(ENDED)
  expect(visits).toBe(2)
})

test('work of two kinds on one table is done by the worker of its kind, at once when it turns', async () => {
  const { work } = await addProcess()
  const done: string[] = []
  const kindOf = (kind: string) => ({ table: { ...TABLE, where: `kind = '${kind}'` } })
  work(async (id) => {
    await pool.query(`UPDATE parcel SET kind = 'carried' WHERE id = $1`, [id])
    done.push('packed')
    return 0
  }, kindOf('packed'))
  work(async () => void done.push('carried'), kindOf('carried'))

  await insert([1], { kind: 'packed' })

  await expect.poll(() => parcel(1), { timeout: 2500 }).toMatchObject(ENDED)
  expect(done).toEqual(['packed', 'carried'])
})

test('a row that turns during its visit is left to that visit until it ends', async () => {
  const { work, queries } = await addProcess()
  const gate = Promise.withResolvers<number>()
  const turned = Promise.withResolvers<void>()
  const done: string[] = []
  const kindOf = (kind: string) => ({ table: { ...TABLE, where: `kind = '${kind}'` } })
  work(async (id) => {
    await pool.query(`UPDATE parcel SET kind = 'carried' WHERE id = $1`, [id])
    turned.resolve()
    await gate.promise
    done.push('packed')
    return 0
  }, kindOf('packed'))
  work(async () => void done.push('carried'), kindOf('carried'))
  await insert([1], { kind: 'packed' })
  await turned.promise
  const before = queries.length

  await insert([2], { kind: 'other' })
  await expect.poll(() => queries.length).toBeGreaterThanOrEqual(before + 2)
  const doneDuringVisit = [...done]
  gate.resolve(0)

  await expect.poll(() => parcel(1), { timeout: 2500 }).toMatchObject(ENDED)
  expect([doneDuringVisit, done]).toEqual([[], ['packed', 'carried']])
})

test('stop() lets a visit end that is about to, and takes no more rows', async () => {
  const { work } = await addProcess()
  const gate = Promise.withResolvers<undefined>()
  const visited: string[] = []
  const worker = work((id) => {
    visited.push(id)
    return gate.promise
  })
  await insert([1])
  await expect.poll(() => visited).toEqual(['1'])

  const stopping = worker.stop(20_000)
  await insert([2])
  gate.resolve(undefined)
  await stopping

  expect(await parcel(1)).toMatchObject(ENDED)
  expect(await parcel(2)).toMatchObject({ isDue: true, leaseOwner: null })
  expect(visited).toEqual(['1'])
})

test('stop() cuts off visits that do not end and gives their rows back, due at once', async () => {
  const [stopped, other] = [await addProcess(), await addProcess()]
  const running = new Set<string>()
  const worker = stopped.work((id, signal) => {
    running.add(id)
    return untilAborted(signal)
  })
  await insert(range(3))
  await expect.poll(() => running.size).toBe(3)
  const visited: string[] = []
  other.work(async (id) => void visited.push(id))

  await worker.stop(0)

  await expect.poll(() => visited.sort(), { timeout: 2500 }).toEqual(['1', '2', '3'])
  expect(await parcel(1)).toMatchObject(ENDED)
})

test('a worker with nothing to do asks the database once in five seconds', async () => {
  const { work, queries, whenAnswered } = await addProcess()
  await insert([1], { inMs: 3_600_000 })
  vi.useFakeTimers(LOOKS)
  work(async () => undefined)

  for (let second = 0; second < 60; second += 1) {
    await vi.advanceTimersByTimeAsync(1000)
    await whenAnswered()
  }

  expect(queries.length).toBeGreaterThan(5)
  expect(queries.length).toBeLessThanOrEqual(14)
})
