import { expect, test } from 'vitest'
import { createQueueSetup, mostWithin } from './queue-setup.ts'

const PER_MINUTE = 3
const MINUTE_MS = 60_000
const USERS = [1n, 2n, 3n, 4n, 5n, 6n]
const ANNA = 101n
const BORIS = 102n

test('a service that is away for ten minutes is tried every 20 s, then less often, one request at a time by all processes; then all go', async () => {
  const setup = await createQueueSetup({ perMinute: PER_MINUTE })
  const { service, taken, triedInVain, pass } = setup
  const [one, two] = [await setup.start('one'), await setup.start('two')]
  service.isAwayFor = () => true
  const tickets = USERS.map((userId, index) => (index % 2 === 0 ? one : two).ask(userId))

  await pass(10 * MINUTE_MS)

  const instants = triedInVain.map(({ at }) => at)
  // Those that were let through at the same time, before the service was known to be away, come first.
  const gaps = instants.slice(PER_MINUTE).map((at, index) => at - (instants[index + 2] ?? 0))
  expect(mostWithin(triedInVain, MINUTE_MS)).toBe(PER_MINUTE)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(20_000)
  expect(Math.max(...gaps.slice(0, 2))).toBeLessThan(MINUTE_MS + 2_000)
  expect(Math.min(...gaps.slice(-5))).toBeGreaterThanOrEqual(MINUTE_MS)
  expect(triedInVain.length).toBeLessThanOrEqual(16)
  expect(new Set(triedInVain.map(({ userId }) => userId))).toEqual(new Set(USERS))
  expect(new Set(triedInVain.map(({ by }) => by))).toEqual(new Set(['one', 'two']))
  expect(tickets.map((ticket) => ticket.position()?.isAway)).toEqual(USERS.map(() => true))

  service.isAwayFor = () => false
  await pass(4 * MINUTE_MS)

  expect(taken.map(({ userId }) => userId).toSorted()).toEqual(USERS)
  expect(mostWithin([...triedInVain, ...taken], MINUTE_MS)).toBe(PER_MINUTE)
})

test('a request for which alone the service is away shuts out neither its user’s others nor those of others', async () => {
  const { service, taken, triedInVain, start, pass } = await createQueueSetup({
    perMinute: PER_MINUTE,
  })
  const one = await start('one')
  service.isAwayFor = (id) => id === 1n
  for (const userId of [ANNA, ANNA, ANNA, BORIS, BORIS]) one.ask(userId)

  await pass(4 * MINUTE_MS)

  expect(taken.map(({ userId }) => userId).toSorted()).toEqual([ANNA, ANNA, BORIS, BORIS])
  expect(triedInVain.length).toBeGreaterThan(1)
  expect(mostWithin([...triedInVain, ...taken], MINUTE_MS)).toBeLessThanOrEqual(PER_MINUTE)
})
