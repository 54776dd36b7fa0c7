import { expect, test } from 'vitest'
import { createLeaseEnds } from '../../../src/platform/jobs/lease-ends.ts'
import type { LeaseEnd } from '../../../src/platform/jobs/row-leases.ts'

const end = (id: number): LeaseEnd => ({
  id: String(id),
  dueAt: '',
  dueInMs: undefined,
  failedVisits: 0,
})
const idsOf = (set: readonly LeaseEnd[]) => set.map(({ id }) => Number(id))

function openEnds({
  store = async () => {},
  gatherMs = 0,
}: {
  store?: (ids: number[]) => Promise<void>
  gatherMs?: number
} = {}) {
  const sets: number[][] = []
  const ends = createLeaseEnds({
    gatherMs,
    store: async (set) => {
      sets.push(idsOf(set))
      await store(idsOf(set))
    },
  })
  return { sets, ...ends }
}

test('what ends in one moment is one set, and what ends while it is stored is the next', async () => {
  const gate = Promise.withResolvers<void>()
  const { sets, add } = openEnds({
    store: async (ids) => (ids[0] === 1 ? gate.promise : undefined),
  })

  const first = [add(end(1)), add(end(2))]
  await expect.poll(() => sets).toEqual([[1, 2]])
  const second = [add(end(3)), add(end(4))]
  gate.resolve()
  await Promise.all([...first, ...second])

  expect(sets).toEqual([
    [1, 2],
    [3, 4],
  ])
})

test('an end that the database does not take is reported; the others of its set are stored', async () => {
  const refuse = async (ids: number[]) => {
    if (ids.includes(3)) throw new Error('not this one')
  }
  const { add } = openEnds({ store: refuse })

  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((id) => add(end(id))))

  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
    ...[true, true],
    false,
    ...[true, true],
  ])
})
