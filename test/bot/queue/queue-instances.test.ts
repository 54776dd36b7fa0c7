import { expect, test } from 'vitest'
import { createQueueSetup, mostWithin } from './queue-setup.ts'

const PER_MINUTE = 30
const MINUTE_MS = 61_000
const ANNA = 1n
const BORIS = 2n

/** Has two processes learn the limit by a burst over both. */
async function learnt() {
  const setup = await createQueueSetup({ perMinute: PER_MINUTE })
  const [one, two] = [await setup.start('one'), await setup.start('two')]
  // What is known by then was noted for a whole minute.
  await setup.pass(MINUTE_MS)
  for (let user = 100n; user < 120n; user++) {
    one.ask(user)
    two.ask(user + 100n)
  }
  await setup.settle()
  return { ...setup, one, two }
}

test('two processes send exactly what the service takes, and meet no refusal once the limit is learnt', async () => {
  const { one, two, pass, taken, refusedAt } = await learnt()
  for (let user = 300n; user < 335n; user++) {
    one.ask(user)
    two.ask(user + 100n)
  }
  const learntAt = refusedAt.at(-1) ?? 0

  await pass(4 * MINUTE_MS)

  expect(taken).toHaveLength(110)
  expect(mostWithin(taken, MINUTE_MS)).toBe(PER_MINUTE)
  expect(refusedAt.filter((at) => at > learntAt)).toEqual([])
  const [first = 0] = taken.map(({ at }) => at)
  for (const minute of [0, 1, 2]) {
    const from = first + minute * MINUTE_MS
    const within = taken.filter(({ at }) => at >= from && at < from + MINUTE_MS)
    expect(within).toHaveLength(PER_MINUTE)
  }
  expect(new Set(taken.map(({ by }) => by))).toEqual(new Set(['one', 'two']))
})

test('a burst in one process holds a newcomer of the other up by one turn of each user', async () => {
  const { one, two, pass, settle, taken } = await learnt()
  const before = taken.length
  for (let count = 0; count < 40; count++) one.ask(ANNA)
  await settle()
  const newcomer = two.ask(BORIS)
  await settle()

  // Behind ten of the burst by which the limit was learnt, and one of the forty.
  expect(newcomer.standing()?.place).toBe(12)
  await pass(MINUTE_MS)
  const ofMinute = taken.slice(before).map(({ userId }) => userId)
  expect(ofMinute).toHaveLength(PER_MINUTE)
  expect(ofMinute).toContain(BORIS)
  await pass(MINUTE_MS)
  expect(taken.slice(before)).toHaveLength(51)
})

test('a place counts those that wait in other processes, and the wait is that of the shared room', async () => {
  const { one, two, pass, settle } = await learnt()
  await pass(1_000)
  const last = two.ask(BORIS)
  await settle()
  const far = one.ask(ANNA)
  await settle()

  // Ten of the burst wait, since thirty were taken.
  expect(last.standing()).toMatchObject({ place: 11 })
  expect(far.standing()).toMatchObject({ place: 12 })
  const waitMs = last.standing()?.waitMs ?? 0
  expect(waitMs).toBeGreaterThan(50_000)
  expect(waitMs).toBeLessThanOrEqual(MINUTE_MS)
  await pass(2_000)
  expect(one.size()).toBe(12)
})

test('what waits in a process that is killed vanishes, and the other goes on', async () => {
  const { one, two, pass, settle, taken, refusedAt } = await learnt()
  for (let count = 0n; count < 60n; count++) one.ask(500n + count)
  await settle()
  const mine = two.ask(BORIS)
  await settle()
  expect(mine.standing()?.place).toBe(71)
  const before = taken.length
  const learntAt = refusedAt.at(-1) ?? 0

  await one.kill()
  await pass(2_000)
  expect(mine.standing()?.place).toBeLessThanOrEqual(11)
  await pass(MINUTE_MS)

  const since = taken.slice(before)
  expect(since.map(({ userId }) => userId)).toContain(BORIS)
  expect(since.every(({ by }) => by === 'two')).toBe(true)
  expect(two.size()).toBe(0)
  expect(refusedAt.filter((at) => at > learntAt)).toEqual([])
})

test.each(['kill', 'stop'] as const)(
  'a process that begins after the last one ended (%s) knows the limit and what went out',
  async (how) => {
    const { one, two, start, pass, taken, refusedAt } = await learnt()
    await Promise.all([one[how](), two[how]()])
    const learntAt = refusedAt.at(-1) ?? 0

    const next = await start('next')
    for (let user = 600n; user < 640n; user++) next.ask(user)
    await pass(3 * MINUTE_MS)

    expect(taken.filter(({ by }) => by === 'next')).toHaveLength(40)
    expect(refusedAt.filter((at) => at > learntAt)).toEqual([])
    expect(mostWithin(taken, MINUTE_MS)).toBe(PER_MINUTE)
  },
)

test('who leaves makes room for the next, in whichever process that one waits', async () => {
  const { one, two, pass, settle, taken } = await learnt()
  await pass(MINUTE_MS + 10_000)
  // Ten were let through; twenty more have room.
  for (let user = 700n; user < 720n; user++) one.ask(user)
  await settle()
  const leaving = one.ask(ANNA)
  await settle()
  two.ask(BORIS)
  await settle()

  expect(leaving.isWaiting()).toBe(true)
  expect(leaving.leave()).toBe(true)
  await pass(MINUTE_MS)

  const users = taken.map(({ userId }) => userId)
  expect(users).toContain(BORIS)
  expect(users).not.toContain(ANNA)
})

test('without a limit nothing waits for the database', async () => {
  const { start, settle, taken } = await createQueueSetup({ perMinute: 10_000 })
  const one = await start('one')
  one.ask(ANNA)
  await settle()
  await expect.poll(() => taken.length).toBe(1)

  const ticket = one.ask(BORIS)

  expect(ticket.isWaiting()).toBe(false)
})
