import { expect, test } from 'vitest'
import { atMost } from '../../../src/platform/time/at-most.ts'

test('those for whom steps wait take turns, and no one has more at once than one may', async () => {
  const inTurn = atMost(2, { ofOneMax: 1 })
  const begun: string[] = []
  const gates = new Map<string, () => void>()
  const run = (of: number, name: string) =>
    inTurn(() => {
      begun.push(name)
      return new Promise<void>((resolve) => gates.set(name, resolve))
    }, of)
  const begins = async (ended: string, names: string[]) => {
    gates.get(ended)?.()
    await expect.poll(() => begun).toEqual(names)
  }

  const steps = [run(1, 'a1'), run(1, 'a2'), run(1, 'a3'), run(2, 'b1'), run(2, 'b2'), run(3, 'c1')]
  expect(begun).toEqual(['a1', 'b1'])
  await begins('a1', ['a1', 'b1', 'a2'])
  await begins('b1', ['a1', 'b1', 'a2', 'b2'])
  await begins('a2', ['a1', 'b1', 'a2', 'b2', 'c1'])
  await begins('c1', ['a1', 'b1', 'a2', 'b2', 'c1', 'a3'])

  for (const name of ['b2', 'a3']) gates.get(name)?.()
  await Promise.all(steps)
})

test('steps beyond the bound wait for their turn in order, also after one that failed', async () => {
  const inTurn = atMost(2)
  const begun: number[] = []
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())

  const steps = gates.map(({ promise }, index) =>
    inTurn(() => {
      begun.push(index)
      return promise
    }),
  )

  expect(begun).toEqual([0, 1])
  gates[1]?.reject(new Error('It failed'))
  await expect(steps[1]).rejects.toThrow('It failed')
  await expect.poll(() => begun).toEqual([0, 1, 2])
  for (const gate of gates) gate.resolve()
  await Promise.allSettled(steps)
  expect(begun).toEqual([0, 1, 2, 3])
})
