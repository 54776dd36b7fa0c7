import { expect, test } from 'vitest'
import { retryUntilStored } from '../../../src/platform/database/retry-until-stored.ts'
import { createManualClock } from '../time/manual-clock.ts'

test('what could not be stored is tried again every five seconds at the latest, however long the database is away', async () => {
  const waits: number[] = []
  const clock = { now: () => 0, sleep: async (ms: number) => void waits.push(ms) }
  const write = async () => {
    if (waits.length < 100) throw new Error('Connection terminated unexpectedly')
    return 'stored'
  }

  expect(await retryUntilStored(write, { clock })).toBe('stored')

  expect(waits.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000])
  expect(new Set(waits.slice(4))).toEqual(new Set([5_000]))
})

test('a mistake in a statement is not tried again', async () => {
  let tries = 0
  const write = async () => {
    tries += 1
    throw new Error('column "nothing" does not exist')
  }
  const clock = { now: () => 0, sleep: async () => {} }

  await expect(retryUntilStored(write, { clock })).rejects.toThrow('nothing')

  expect(tries).toBe(1)
})

test('what is waited for so long only fails with its last trouble, and no attempt begins later', async () => {
  const clock = createManualClock()
  let tries = 0
  const write = async () => {
    throw new Error(`Connection terminated ${++tries}`)
  }

  const stored = retryUntilStored(write, { clock, waitMs: 2_000 })
  const failed = expect(stored).rejects.toThrow('Connection terminated 3')
  await clock.run(2_000)

  await failed
})
