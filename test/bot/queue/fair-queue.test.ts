import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairQueue, type FairQueue, type Waiting } from '../../../src/bot/queue/fair-queue.ts'

type Step =
  | { type: 'add'; userId: bigint }
  | { type: 'take' | 'done' }
  | { type: 'putBack' | 'remove'; pick: number }

const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('add' as const), userId: fc.bigInt({ min: 1n, max: 5n }) }),
    fc.record({ type: fc.constantFrom('take' as const, 'done' as const) }),
    fc.record({ type: fc.constantFrom('putBack' as const, 'remove' as const), pick: fc.nat(20) }),
  ),
  { maxLength: 120 },
)

test('users take turns, and those of one user come in order', () => {
  const line = createFairQueue<Waiting>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) add(line, item)

  expect(takeAll(line)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a newcomer waits for one turn of each other user, whatever their bursts', () => {
  const line = createFairQueue<Waiting>()
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) add(line, item)
  line.take()

  add(line, 'n')

  expect(line.positionOf('n')).toBe(3)
  expect(takeAll(line)).toEqual(['b1', 'a2', 'n', 'b2', 'a3', 'a4'])
})

test('what is put back stands where it stood, in whichever order it comes back', () => {
  const line = createFairQueue<Waiting>()
  for (const item of ['a1', 'b1', 'c1', 'a2']) add(line, item)
  const taken = [line.take(), line.take(), line.take()]
  add(line, 'd1')

  for (const one of taken.reverse()) if (one) line.putBack(one)

  expect(takeAll(line)).toEqual(['a1', 'b1', 'c1', 'd1', 'a2'])
})

test('a line that is stored and opened anew is the same', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const line = createFairQueue<Waiting>()
      run(line, all)
      const other = createFairQueue(line.all().toReversed(), line.places())

      const [ids, otherIds] = [line, other].map((one) => {
        add(one, 'n')
        return takeAll(one)
      })

      expect(otherIds).toEqual(ids)
    }),
  )
})

test('nobody is lost or taken twice, and a place is as many turns away as it says', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const line = createFairQueue<Waiting>()
      const waiting = new Map<string, Waiting>()
      let out: Waiting[] = []
      all.forEach((step, index) => {
        if (step.type === 'add') {
          const one = toWaiting(String(index), index, step.userId)
          line.add(one)
          waiting.set(one.id, one)
        }
        if (step.type === 'done') out = out.slice(1)
        if (step.type === 'take') {
          const taken = line.take()
          expect(taken === undefined).toBe(waiting.size === 0)
          if (taken === undefined) return
          expect(waiting.delete(taken.id)).toBe(true)
          out.push(taken)
        }
        if (step.type === 'putBack' && out.length > 0) {
          const [taken] = out.splice(step.pick % out.length, 1)
          if (taken) line.putBack(taken)
          if (taken) waiting.set(taken.id, taken)
        }
        if (step.type === 'remove' && waiting.size > 0) {
          const id = [...waiting.keys()][step.pick % waiting.size] ?? ''
          waiting.delete(id)
          expect(line.remove(id)).toBe(true)
          expect(line.remove(id)).toBe(false)
        }
        expect(line.size()).toBe(waiting.size)
      })

      const places = new Map([...waiting.keys()].map((id) => [id, line.positionOf(id)]))
      for (let place = 1; waiting.size > 0; place++) {
        const taken = line.take()
        expect(taken && places.get(taken.id)).toBe(place)
        if (taken) waiting.delete(taken.id)
      }
      expect(line.take()).toBeUndefined()
    }),
  )
})

test('whoever comes: nobody of another user goes twice before a newcomer that waits', () => {
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const line = createFairQueue<Waiting>()
      run(line, before)
      line.add(toWaiting('newcomer', 1000, 99n))

      const ahead = run(line, after, { from: 2000, until: 'newcomer' }).map(({ userId }) => userId)

      expect(new Set(ahead).size).toBe(ahead.length)
    }),
  )
})

test('the turns of one user go in the order in which they came', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const taken = run(createFairQueue<Waiting>(), all)
      for (const userId of new Set(taken.map((one) => one.userId))) {
        const ids = taken.filter((one) => one.userId === userId).map(({ turnId }) => Number(turnId))
        expect(ids).toEqual([...ids].sort((one, other) => one - other))
      }
    }),
  )
})

/** Adds, removes and takes; what is taken may be put back once, at once. @returns What went through before `until`. */
function run(
  line: FairQueue<Waiting>,
  all: readonly Step[],
  { from = 0, until }: { from?: number; until?: string } = {},
): Waiting[] {
  const through: Waiting[] = []
  const added: string[] = []
  let isBack = false
  all.forEach((step, index) => {
    if (through.at(-1)?.id === until && until !== undefined) return
    if (step.type === 'add') {
      const one = toWaiting(String(from + index), from + index, step.userId)
      line.add(one)
      added.push(one.id)
    }
    if (step.type === 'remove') line.remove(added[step.pick % (added.length || 1)] ?? '')
    if (step.type === 'putBack') isBack = true
    if (step.type !== 'take') return
    const taken = line.take()
    if (taken === undefined) return
    if (isBack && taken.id !== until) line.putBack(taken)
    else through.push(taken)
    isBack = false
  })
  return through.filter(({ id }) => id !== until)
}

function takeAll(line: FairQueue<Waiting>): string[] {
  return Array.from({ length: line.size() }, () => line.take()?.id ?? '')
}

/** "b2" is the second of user b. */
function add(line: FairQueue<Waiting>, id: string): void {
  line.add(toWaiting(id, id.charCodeAt(1) || 0, BigInt(id.charCodeAt(0))))
}

function toWaiting(id: string, turn: number, userId: bigint): Waiting {
  return { id, turnId: BigInt(turn), userId, place: 0 }
}
