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

test('a service that takes less than was configured answers all in the end', async () => {
  const { start, pass, taken, refusedAt } = await createQueueSetup({ perMinute: 5, limit: 8 })
  const one = await start('one')
  askAll(100n, 12, one)

  await pass(4 * WINDOW_MS)

  expect(taken).toHaveLength(12)
  expect(new Set(taken.map(({ userId }) => userId)).size).toBe(12)
  expect(refusedAt.length).toBeLessThanOrEqual(3 * 3)
})
