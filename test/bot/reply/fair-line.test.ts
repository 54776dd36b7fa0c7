import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairLine, type Entry } from '../../../src/bot/reply/fair-line.ts'

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
  const line = createFairLine<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) line.add(userOf(item), item)

  expect(takeAll(line)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a newcomer waits for one turn of each other user, whatever their bursts', () => {
  const line = createFairLine<string>()
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) line.add(userOf(item), item)
  line.take()

  const newcomer = line.add(userOf('n'), 'n')

  expect(line.placeOf(newcomer)).toBe(3)
  expect(takeAll(line)).toEqual(['b1', 'a2', 'n', 'b2', 'a3', 'a4'])
})

test('what is put back stands where it stood, in whichever order it comes back', () => {
  const line = createFairLine<string>()
  for (const item of ['a1', 'b1', 'c1', 'a2']) line.add(userOf(item), item)
  const taken = [line.take(), line.take(), line.take()]
  line.add(userOf('d1'), 'd1')

  for (const entry of taken.reverse()) if (entry) line.putBack(entry)

  expect(takeAll(line)).toEqual(['a1', 'b1', 'c1', 'd1', 'a2'])
})

test('nobody is lost or taken twice, and a place is as many turns away as it says', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const line = createFairLine<number>()
      const waiting = new Set<Entry<number>>()
      let out: Entry<number>[] = []
      all.forEach((step, index) => {
        if (step.type === 'add') waiting.add(line.add(step.userId, index))
        if (step.type === 'done') out = out.slice(1)
        if (step.type === 'take') {
          const entry = line.take()
          expect(entry === undefined).toBe(waiting.size === 0)
          if (entry === undefined) return
          expect(waiting.delete(entry)).toBe(true)
          out.push(entry)
        }
        if (step.type === 'putBack' && out.length > 0) {
          const [entry] = out.splice(step.pick % out.length, 1)
          if (entry) line.putBack(entry)
          if (entry) waiting.add(entry)
        }
        if (step.type === 'remove' && waiting.size > 0) {
          const entry = [...waiting][step.pick % waiting.size]
          if (entry === undefined) return
          waiting.delete(entry)
          expect(line.remove(entry)).toBe(true)
          expect(line.remove(entry)).toBe(false)
        }
        expect(line.size()).toBe(waiting.size)
      })

      const places = new Map([...waiting].map((entry) => [entry, line.placeOf(entry)]))
      for (let place = 1; waiting.size > 0; place++) {
        const entry = line.take()
        expect(entry && places.get(entry)).toBe(place)
        if (entry) waiting.delete(entry)
      }
      expect(line.take()).toBeUndefined()
    }),
  )
})

test('whoever comes: nobody of another user goes twice before a newcomer that waits', () => {
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const line = createFairLine<string>()
      run(line, before)
      const newcomer = line.add(99n, 'newcomer')

      const ahead = run(line, after, newcomer).map(({ userId }) => userId)

      expect(new Set(ahead).size).toBe(ahead.length)
    }),
  )
})

test('the turns of one user go in the order in which they came', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const line = createFairLine<string>()
      const taken = run(line, all)
      for (const userId of new Set(taken.map((entry) => entry.userId))) {
        const arrivals = taken.filter((entry) => entry.userId === userId).map((it) => it.arrival)
        expect(arrivals).toEqual([...arrivals].sort((one, other) => one - other))
      }
    }),
  )
})

/** Adds, removes and takes; what is taken may be put back once, at once. @returns What went through before `until`. */
function run(
  line: ReturnType<typeof createFairLine<string>>,
  all: readonly Step[],
  until?: Entry<string>,
): Entry<string>[] {
  const through: Entry<string>[] = []
  const added: Entry<string>[] = []
  let isBack = false
  for (const step of all) {
    if (step.type === 'add') added.push(line.add(step.userId, ''))
    if (step.type === 'remove') {
      const entry = added[step.pick % (added.length || 1)]
      if (entry) line.remove(entry)
    }
    if (step.type === 'putBack') isBack = true
    if (step.type !== 'take') continue
    const entry = line.take()
    if (entry === undefined) continue
    if (entry === until) return through
    if (isBack) line.putBack(entry)
    else through.push(entry)
    isBack = false
  }
  return through
}

function takeAll(line: ReturnType<typeof createFairLine<string>>): string[] {
  return Array.from({ length: line.size() }, () => line.take()?.item ?? '')
}

/** "b2" is the second of user b. */
function userOf(item: string): bigint {
  return BigInt(item.charCodeAt(0))
}
