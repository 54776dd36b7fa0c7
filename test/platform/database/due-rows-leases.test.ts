import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TakenRow, Visit } from '../../../src/platform/database/due-rows.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { ENDED, LOOKS, openParcels, type Parcels, range } from './due-rows-setup.ts'

let parcels: Parcels

beforeEach(async () => {
  parcels = await openParcels()
})
afterEach(() => parcels.close())

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
  const { work, errors } = await parcels.addProcess({
    untilHeard: async (text) => {
      if (isLost || !text.includes(statement)) return
      isLost = true
      throw new Error('Connection terminated unexpectedly')
    },
  })
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
  await parcels.insert([1])
  await parcels.pool.query('UPDATE parcel SET lease_owner = $1', [owner.id])
  const { work, queries } = await parcels.addProcess()
  vi.useFakeTimers({ ...LOOKS, shouldAdvanceTime: true })
  const visited: string[] = []
  work(async ({ id }) => void visited.push(id))
  await expect.poll(() => queries.length).toBeGreaterThanOrEqual(1)
  expect(visited).toEqual([])

  await owner.release()

  const lookAgain = async () => {
    await vi.advanceTimersByTimeAsync(5000)
    return visited
  }
  await expect.poll(lookAgain).toEqual(['1'])
})

test('a process that has ended in the eyes of the others takes no row, though it does not know yet', async () => {
  const { instance, work, queries } = await parcels.addProcess()
  await parcels.pool.query('DELETE FROM public.instance WHERE id = $1', [instance.id])
  const visited: string[] = []
  await parcels.insert([1])

  work(async ({ id }) => void visited.push(id))

  await expect.poll(() => queries.length).toBeGreaterThanOrEqual(1)
  await expect.poll(() => parcels.find(1)).toMatchObject({ isDue: true, leaseOwner: null })
  expect(visited).toEqual([])
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
