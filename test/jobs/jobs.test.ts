import { afterEach, expect, test } from 'vitest'
import { type Jobs, startJobs } from '../../src/jobs/jobs.ts'
import { createTestDatabase } from '../database/test-database.ts'

const started: Jobs[] = []

async function jobsOf(url: string, errors: Error[] = []): Promise<Jobs> {
  const jobs = await startJobs({ url, onError: (error) => errors.push(error) })
  started.push(jobs)
  return jobs
}

afterEach(async () => {
  for (const jobs of started.splice(0)) await jobs.stop(5000)
})

test('a burst of rows is visited each once', async () => {
  const jobs = await jobsOf(await createTestDatabase())
  const visited: string[] = []
  await jobs.work('order-deliver', async (id) => {
    visited.push(id)
    return undefined
  })
  const ids = Array.from({ length: 50 }, (_, index) => String(index))

  await Promise.all(ids.map((id) => jobs.send('order-deliver', id)))

  await expect.poll(() => visited.length, { timeout: 10_000 }).toBe(50)
  expect(visited.sort()).toEqual(ids.sort())
})

test('a row that asks to be looked at again is, and not before its time', async () => {
  const jobs = await jobsOf(await createTestDatabase())
  const visitedAt: number[] = []
  await jobs.work('order-poll', async () => {
    visitedAt.push(Date.now())
    return visitedAt.length === 1 ? new Date(Date.now() + 300) : undefined
  })

  await jobs.send('order-poll', '1')

  await expect.poll(() => visitedAt.length, { timeout: 10_000 }).toBe(2)
  const [first = 0, second = 0] = visitedAt
  expect(second - first).toBeGreaterThanOrEqual(295)
})

test('a visit that throws is told of and made again, and its neighbours are not', async () => {
  const errors: Error[] = []
  const jobs = await jobsOf(await createTestDatabase(), errors)
  const visits = new Map<string, number>()
  await jobs.work('order-poll', async (id) => {
    const count = (visits.get(id) ?? 0) + 1
    visits.set(id, count)
    if (id === 'bad' && count === 1) throw new Error('not this time')
    return undefined
  })

  await Promise.all([jobs.send('order-poll', 'bad'), jobs.send('order-poll', 'good')])

  await expect.poll(() => visits.get('bad'), { timeout: 10_000 }).toBe(2)
  expect(visits.get('good')).toBe(1)
  expect(errors.map((error) => error.message)).toEqual(['not this time'])
})

test('a visit that waits outlives the process that sent it', async () => {
  const url = await createTestDatabase()
  const first = await startJobs({ url, onError: () => {} })
  await first.send('generation', '7')
  await first.stop(1000)
  const visited: string[] = []

  const second = await jobsOf(url)
  await second.work('generation', async (id) => {
    visited.push(id)
    return undefined
  })

  await expect.poll(() => visited, { timeout: 10_000 }).toEqual(['7'])
})

test('a row that already waits is not sent twice', async () => {
  const url = await createTestDatabase()
  const jobs = await jobsOf(url)
  const visited: string[] = []

  for (let count = 0; count < 5; count += 1) await jobs.send('order-poll', '9')
  await jobs.send('order-poll', 'last', new Date(Date.now() + 200))
  await jobs.work('order-poll', async (id) => {
    visited.push(id)
    return undefined
  })

  await expect.poll(() => visited.includes('last'), { timeout: 10_000 }).toBe(true)
  expect(visited).toEqual(['9', 'last'])
})
