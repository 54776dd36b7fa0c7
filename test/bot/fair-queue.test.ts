import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inTurn, type Waiting } from '../../src/bot/rate-limit.ts'

type Step =
  | { type: 'join'; userId: bigint }
  | { type: 'take' }
  | { type: 'putBack' | 'leave'; pick: number }

const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('join' as const), userId: fc.bigInt({ min: 1n, max: 5n }) }),
    fc.record({ type: fc.constant('take' as const) }),
    fc.record({ type: fc.constantFrom('putBack' as const, 'leave' as const), pick: fc.nat(20) }),
  ),
  { maxLength: 120 },
)

test('users take turns, and those of one user come in order', () => {
  const queue = openQueue()
  for (const user of 'aaabcb') queue.join(toUserId(user))

  expect(queue.takeAll()).toEqual(['a1', 'b4', 'c5', 'a2', 'b6', 'a3'])
})

test('a newcomer waits for one of each other user, however many those have', () => {
  const queue = openQueue()
  for (const user of 'aaaabb') queue.join(toUserId(user))
  queue.take()

  queue.join(toUserId('n'))

  expect(queue.takeAll()).toEqual(['b5', 'a2', 'n7', 'b6', 'a3', 'a4'])
})

test('what was tried in vain lets the others of its user and those of other users go before it', () => {
  const tried = { id: 1n, userId: toUserId('a'), queuedAt: 50, awayTries: 1 }
  const others = [
    { id: 2n, userId: toUserId('a'), queuedAt: 40, awayTries: 0 },
    { id: 3n, userId: toUserId('b'), queuedAt: 20, awayTries: 0 },
  ]

  expect(inTurn([tried, ...others]).map(({ id }) => id)).toEqual([3n, 2n, 1n])
})

test('nothing is lost or taken twice, and a position is as many turns away as it says', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const queue = run(all)
      const waiting = queue.waiting.map(({ id }) => id)
      const order = inTurn(queue.waiting).map(({ id }) => id)

      const taken = order.map(() => queue.take()?.id)

      expect(order.toSorted(compare)).toEqual(waiting.toSorted(compare))
      expect(taken).toEqual(order)
      expect(queue.take()).toBeUndefined()
    }),
  )
})

test('nothing of another user goes twice before a newcomer that waits, however others join and leave', () => {
  const withoutPutBack = steps.map((all) => all.filter(({ type }) => type !== 'putBack'))
  fc.assert(
    fc.property(steps, withoutPutBack, (before, after) => {
      const queue = run(before)
      const newcomer = queue.join(99n)

      const ahead = takenBefore(newcomer.id, after, queue)

      expect(new Set(ahead.map(({ userId }) => userId)).size).toBe(ahead.length)
    }),
  )
})

test('what a user asked goes in the order in which it came', () => {
  const withoutPutBack = steps.map((all) => all.filter(({ type }) => type !== 'putBack'))
  fc.assert(
    fc.property(withoutPutBack, (all) => {
      const { taken } = run(all)
      for (const ofUser of Map.groupBy(taken, ({ userId }) => userId).values()) {
        const ids = ofUser.map(({ id }) => id)
        expect(ids).toEqual(ids.toSorted(compare))
      }
    }),
  )
})

function openQueue() {
  let now = 0
  let lastId = 0n
  const queue = {
    waiting: [] as Waiting[],
    taken: [] as Waiting[],
    join,
    take,
    takeAll,
    putBack,
    leave,
  }
  return queue

  function join(userId: bigint): Waiting {
    const entry = { id: ++lastId, userId, queuedAt: ++now, awayTries: 0 }
    queue.waiting.push(entry)
    return entry
  }

  function take(): Waiting | undefined {
    const [next] = inTurn(queue.waiting)
    if (next === undefined) return undefined
    now++
    leave(next)
    queue.taken.push(next)
    queue.waiting = queue.waiting.map((entry) =>
      entry.userId === next.userId ? { ...entry, queuedAt: now } : entry,
    )
    return next
  }

  function takeAll(): string[] {
    const all = Array.from({ length: queue.waiting.length }, take)
    return all.map((one) => `${String.fromCharCode(Number(one?.userId))}${one?.id}`)
  }

  function putBack(entry: Waiting): void {
    queue.taken = queue.taken.filter(({ id }) => id !== entry.id)
    queue.waiting.push(entry)
  }

  function leave(entry: Waiting): void {
    queue.waiting = queue.waiting.filter(({ id }) => id !== entry.id)
  }
}

function run(all: readonly Step[], queue = openQueue()) {
  for (const step of all) {
    const picked = 'pick' in step ? step.pick : 0
    const { waiting, taken } = queue
    const back = taken[picked % taken.length]
    const leaving = waiting[picked % waiting.length]
    if (step.type === 'join') queue.join(step.userId)
    if (step.type === 'take') queue.take()
    if (step.type === 'putBack' && back) queue.putBack(back)
    if (step.type === 'leave' && leaving) queue.leave(leaving)
  }
  return queue
}

function takenBefore(
  id: bigint,
  all: readonly Step[],
  queue: ReturnType<typeof openQueue>,
): Waiting[] {
  const before = queue.taken.length
  for (const step of all) {
    if (!queue.waiting.some((entry) => entry.id === id)) break
    run([step], queue)
  }
  return queue.taken.slice(before).filter((entry) => entry.id !== id)
}

function toUserId(letter: string): bigint {
  return BigInt(letter.charCodeAt(0))
}

function compare(one: bigint, other: bigint): number {
  return Number(one - other)
}
