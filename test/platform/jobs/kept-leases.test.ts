import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DueAgain, VisitedRow } from '../../../src/platform/jobs/due-rows.ts'
import { closeTo, openParcels, type Parcels, range, TABLE } from './due-rows-setup.ts'

const HOUR_MS = 3_600_000

let parcels: Parcels

beforeEach(async () => {
  parcels = await openParcels()
})
afterEach(() => parcels.close())

const keptFor = (dueInMs: number): DueAgain => ({ dueInMs, failedVisits: 0, mayBeKept: true })

function visitAndKeep(visited: VisitedRow[], dueInMs: number) {
  return async (row: VisitedRow) => {
    visited.push(row)
    return keptFor(dueInMs)
  }
}
const idsOf = (rows: readonly VisitedRow[]) => rows.map(({ id }) => id)

test('a row whose lease is kept is visited again, not earlier than it is due, without a statement', async () => {
  const { work, queries, instance } = await parcels.addProcess()
  const visits: { at: number; heldForMs: number }[] = []
  await parcels.insert([1])

  work(
    async ({ heldForMs }) => {
      visits.push({ at: performance.now(), heldForMs })
      return keptFor(30)
    },
    { keepMs: HOUR_MS },
  )
  await expect.poll(() => visits.length).toBeGreaterThan(10)

  const gaps = visits.slice(1).map(({ at }, index) => at - (visits[index]?.at ?? 0))
  const ages = visits
    .slice(1)
    .map(({ heldForMs }, index) => heldForMs - (visits[index]?.heldForMs ?? 0))
  expect(Math.min(...gaps, ...ages)).toBeGreaterThanOrEqual(30)
  expect(queries.filter((text) => text.includes('visit.failed_visits'))).toEqual([])
  expect(await parcels.find(1)).toMatchObject({ leaseOwner: instance.id, failedVisits: 0 })
})

// Promise: A process begins beside one that polls every order
test('a lease is kept no longer than it may be, and each process gets its part of the rows', async () => {
  const [first, second] = [await parcels.addProcess(), await parcels.addProcess()]
  const byFirst: VisitedRow[] = []
  const bySecond: VisitedRow[] = []
  const keep = { keepMs: 100, gatherMs: 5 }
  await parcels.insert(range(40))
  first.work(visitAndKeep(byFirst, 20), keep)
  await expect.poll(() => new Set(idsOf(byFirst)).size).toBe(40)

  second.work(visitAndKeep(bySecond, 20), keep)

  await expect.poll(() => new Set(idsOf(bySecond)).size).toBeGreaterThan(10)
})

// Promise: A callback comes for an order whose lease is kept, or while it is polled
test('a kept row that is made due is visited at once', async () => {
  const { work } = await parcels.addProcess()
  const rows: VisitedRow[] = []
  await parcels.insert([1, 2])
  work(visitAndKeep(rows, HOUR_MS), { keepMs: 2 * HOUR_MS })
  await expect.poll(() => rows.length).toBe(2)

  await parcels.pool.query(
    `WITH woken AS (UPDATE parcel SET due_at = now() WHERE id = 2 RETURNING 1)
     SELECT pg_notify('public.parcel', '') FROM woken`,
  )

  await expect.poll(() => idsOf(rows).slice(2)).toEqual(['2'])
  expect(rows[2]).toMatchObject({ isTakenOver: true })
})

// Promise: A callback comes for an order whose lease is kept, or while it is polled
test('a row that is made due during a visit whose lease is kept is visited at once', async () => {
  const { work, queries } = await parcels.addProcess()
  const rows: VisitedRow[] = []
  const gate = Promise.withResolvers<void>()
  await parcels.insert([1])
  work(
    async (row) => {
      rows.push(row)
      await gate.promise
      return keptFor(HOUR_MS)
    },
    { keepMs: 2 * HOUR_MS },
  )
  await expect.poll(() => rows.length).toBe(1)
  // The same process looks for these after it has looked for the others.
  const looks = () => queries.filter((text) => text.includes("kind = 'other'")).length
  work(async () => undefined, { table: { ...TABLE, where: "kind = 'other'" } })
  await expect.poll(looks).toBeGreaterThan(0)
  const before = looks()
  await parcels.pool.query(
    `WITH woken AS (UPDATE parcel SET due_at = now() WHERE id = 1 RETURNING 1)
     SELECT pg_notify('public.parcel', '') FROM woken`,
  )
  await expect.poll(looks).toBeGreaterThan(before)

  gate.resolve()

  await expect.poll(() => rows.length, { timeout: 4000 }).toBe(2)
})

// Promise: A process ends that keeps the leases of orders between polls
test('what a process kept that has ended is visited by another at once', async () => {
  const [dying, other] = [await parcels.addProcess(), await parcels.addProcess()]
  const keep = { keepMs: 2 * HOUR_MS }
  const kept: VisitedRow[] = []
  await parcels.insert(range(3))
  dying.work(visitAndKeep(kept, HOUR_MS), keep)
  await expect.poll(() => kept.length).toBe(3)
  const rows: VisitedRow[] = []
  other.work(visitAndKeep(rows, HOUR_MS), keep)

  await dying.instance.release()

  // Processes that share a table look by themselves every five seconds.
  await expect.poll(() => idsOf(rows).sort(), { timeout: 4500 }).toEqual(['1', '2', '3'])
  expect(rows.every(({ isTakenOver }) => isTakenOver)).toBe(true)
})

test('stop() gives back what was kept, due when its visit would have been', async () => {
  const { work } = await parcels.addProcess()
  const visited: VisitedRow[] = []
  await parcels.insert([1])
  const worker = work(visitAndKeep(visited, HOUR_MS), { keepMs: 2 * HOUR_MS })
  await expect.poll(() => visited.length).toBe(1)

  await worker.stop(5000)

  expect(await parcels.find(1)).toMatchObject({ dueInS: closeTo(3600), leaseOwner: null })
})

// Promise: The answer to a statement that leased orders, or ended leases, is lost
test.each([
  ['taken', 'FOR UPDATE SKIP LOCKED'],
  ['given back', 'visit.failed_visits'],
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

  work(
    async () => {
      visits += 1
      return { ...keptFor(1), mayBeKept: visits > 1 }
    },
    { keepMs: HOUR_MS },
  )

  await expect.poll(() => visits).toBeGreaterThan(3)
  expect(errors).toHaveLength(1)
})

// Promise: All polls that may run at once are running when another order becomes due
test('a row for which there was no room is taken when visits have ended all at once', async () => {
  const { work, queries } = await parcels.addProcess()
  const visited = new Set<string>()
  const held = new Set<string>()
  const gate = Promise.withResolvers<void>()
  let areHeld = false
  let isOpen = false
  work(
    async ({ id }) => {
      visited.add(id)
      if (!areHeld || (id === '3' && !isOpen)) return keptFor(1)
      held.add(id)
      await gate.promise
      return keptFor(HOUR_MS)
    },
    { concurrency: 2, keepMs: 2 * HOUR_MS },
  )
  await parcels.insert([1, 2])
  await expect.poll(() => visited.size).toBe(2)
  await parcels.insert([3])
  await expect.poll(() => visited.size).toBe(3)
  areHeld = true
  await expect.poll(() => held.size).toBe(2)
  // The same process looks for these after it has looked for the others, and found no room.
  const looks = () => queries.filter((text) => text.includes("kind = 'other'")).length
  work(async () => undefined, { table: { ...TABLE, where: "kind = 'other'" } })
  await expect.poll(looks).toBeGreaterThan(0)
  const before = looks()
  await parcels.insert([4])
  await expect.poll(looks).toBeGreaterThan(before)

  isOpen = true
  gate.resolve()

  await expect.poll(() => [...visited], { timeout: 4000 }).toContain('4')
})
