import { expect, test } from 'vitest'
import { createQueueSetup, mostWithin, type QueueProcess } from './queue-setup.ts'

const PER_MINUTE = 30
/** The service's minute, and the one of the queue, which is a second longer. */
const MINUTE_MS = 60_000
const WINDOW_MS = 61_000
const ANNA = 1n
const BORIS = 2n

async function startTwo() {
  const setup = await createQueueSetup({ perMinute: PER_MINUTE })
  return { ...setup, one: await setup.start('one'), two: await setup.start('two') }
}

function askAll(from: bigint, count: number, ...processes: QueueProcess[]): void {
  for (let index = 0; index < count; index++) {
    processes[index % processes.length]?.ask(from + BigInt(index))
  }
}

test('two processes send exactly what the service takes, and meet no refusal', async () => {
  const { one, two, pass, taken, refusedAt } = await startTwo()
  askAll(100n, 110, one, two)

  await pass(3 * WINDOW_MS)

  expect(taken).toHaveLength(110)
  expect(refusedAt).toEqual([])
  expect(mostWithin(taken, MINUTE_MS)).toBe(PER_MINUTE)
  expect(new Set(taken.map(({ by }) => by))).toEqual(new Set(['one', 'two']))
})

test('a burst in one process holds a newcomer of the other up by one turn of each user', async () => {
  const { one, two, pass, settle, taken } = await startTwo()
  askAll(100n, PER_MINUTE, one)
  await settle()
  for (let count = 0; count < 40; count++) one.ask(ANNA)
  await settle()
  const newcomer = two.ask(BORIS)
  await settle()

  expect(newcomer.position()?.position).toBe(2)
  await pass(WINDOW_MS)
  const ofMinute = taken.slice(PER_MINUTE).map(({ userId }) => userId)
  expect(ofMinute).toHaveLength(PER_MINUTE)
  expect(ofMinute).toContain(BORIS)
  await pass(WINDOW_MS)
  expect(taken).toHaveLength(PER_MINUTE + 41)
})

test('a position counts what waits in other processes, and changes with what they do', async () => {
  const { one, two, pass, settle } = await startTwo()
  askAll(100n, PER_MINUTE, one)
  await pass(1_000)
  const first = one.ask(ANNA)
  await settle()
  const second = two.ask(BORIS)
  await settle()

  expect(second.position()?.position).toBe(2)
  expect([one.size(), two.size()]).toEqual([2, 2])
  const waitMs = second.position()?.waitMs ?? 0
  expect(waitMs).toBeGreaterThan(50_000)
  expect(waitMs).toBeLessThanOrEqual(WINDOW_MS)
  first.leave()
  await expect.poll(() => second.position()?.position).toBe(1)
})

test('what waits in a process that is killed is passed over, and the other goes on', async () => {
  const { one, two, pass, settle, taken, refusedAt } = await startTwo()
  askAll(100n, PER_MINUTE, one)
  await settle()
  askAll(500n, 60, one)
  await settle()
  const mine = two.ask(BORIS)
  await settle()
  expect(mine.position()?.position).toBe(61)

  await one.kill()
  two.ask(ANNA)
  await settle()
  expect(mine.position()?.position).toBe(1)
  await pass(WINDOW_MS)

  expect(taken.slice(PER_MINUTE).map(({ userId }) => userId)).toEqual([BORIS, ANNA])
  expect(two.size()).toBe(0)
  expect(refusedAt).toEqual([])
})

test.each(['kill', 'stop'] as const)(
  'a process that begins after the last one ended (%s) knows what went out',
  async (how) => {
    const { one, two, start, pass, settle, taken, refusedAt } = await startTwo()
    askAll(100n, 40, one, two)
    await settle()
    await Promise.all([one[how](), two[how]()])

    const next = await start('next')
    askAll(600n, 40, next)
    await pass(2 * WINDOW_MS)

    expect(taken.filter(({ by }) => by === 'next')).toHaveLength(40)
    expect(refusedAt).toEqual([])
    expect(mostWithin(taken, MINUTE_MS)).toBe(PER_MINUTE)
  },
)

test('what leaves the queue gives way to what waits in another process', async () => {
  const { one, two, pass, settle, taken } = await startTwo()
  askAll(100n, PER_MINUTE, one)
  await settle()
  const leaving = one.ask(ANNA)
  await settle()
  two.ask(BORIS)
  await settle()

  expect(leaving.position()).toBeDefined()
  expect(leaving.leave()).toBe(true)
  await pass(WINDOW_MS)

  const users = taken.map(({ userId }) => userId)
  expect(users).toContain(BORIS)
  expect(users).not.toContain(ANNA)
})

test('a service that takes less than was configured answers all in the end', async () => {
  const { start, pass, taken, refusedAt } = await createQueueSetup({ perMinute: 5, limit: 8 })
  const one = await start('one')
  askAll(100n, 12, one)

  await pass(4 * WINDOW_MS)

  expect(taken).toHaveLength(12)
  expect(new Set(taken.map(({ userId }) => userId)).size).toBe(12)
  expect(refusedAt.length).toBeLessThanOrEqual(3 * 3)
})

test('a request that did not come to the limit gives its slot to the next', async () => {
  const { start, settle, taken } = await createQueueSetup({ perMinute: 1 })
  const one = await start('one')
  const failing = one.ask(ANNA)
  await settle()
  const waiting = one.ask(BORIS)
  await settle()
  expect(waiting.position()).toBeDefined()
  taken.length = 0

  failing.uncounted()
  await settle()

  expect(taken.map(({ userId }) => userId)).toEqual([BORIS])
})

test('where nothing waits, one statement lets a request go, and one a whole burst', async () => {
  const { start, settle, statements, taken } = await createQueueSetup({ perMinute: 60 })
  const one = await start('one')

  one.ask(ANNA)
  await settle()
  expect(statements).toEqual({ takeSlots: 1, change: 0 })
  askAll(100n, 40, one)
  await settle()

  expect(statements).toEqual({ takeSlots: 2, change: 0 })
  expect(taken).toHaveLength(41)
})
