import { expect, test } from 'vitest'
import { atMost } from '../../../src/platform/time/at-most.ts'

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
