import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLane } from '../../../../src/service/ledger/batch/lane.ts'
import type { Sql } from '../../../../src/service/ledger/sql.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { createRandom, ledgerFaults } from '../ledger-fixture.ts'
import { createWorld, randomBeginning, randomSteps, type Step } from './ledger-world.ts'
import { isBatch } from './open-ledger.ts'

const ROUNDS = 12

/** A statement that takes longer is passed by others; which one does on a busy machine is no matter here. */
const PATIENT = { patienceMs: 60_000 }

let pool: pg.Pool

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await createTestDatabase(), max: 8 })
})
afterAll(() => pool.end())

// Promise: Many requests come at once
test.each([1, 7, 42, 1905])(
  'a batch has the outcomes that its operations have one by one (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const batches = { count: 0 }
    const sql = withLane(countBatches(batches), PATIENT)

    for (let round = 0; round < ROUNDS; round += 1) {
      const beginning = randomBeginning(random)
      const [alone, together] = [
        await createWorld(pool, beginning),
        await createWorld(pool, beginning),
      ]
      let requests = 0
      for (let turn = 0; turn < 3; turn += 1) {
        const steps = randomSteps(random, requests)
        requests += steps.filter((step) => step.do === 'hold').length
        const oneByOne: string[] = []
        for (const step of steps) oneByOne.push(await alone.perform(pool, step))

        const atOnce = await Promise.all(steps.map((step) => together.perform(sql, step)))

        const outcomes = await Promise.all(
          atOnce.map(async (outcome, index) => {
            const step = steps[index] as Step
            const isRefused = isNamed(step) && outcome !== oneByOne[index]
            // What raced it has made what it names: asked again, one by one has the same outcome.
            return isRefused && outcome === (await alone.perform(pool, step))
              ? oneByOne[index]
              : outcome
          }),
        )
        expect({ round, turn, steps, outcomes }).toEqual({ round, turn, steps, outcomes: oneByOne })
        expect(await together.read()).toEqual(await alone.read())
        for (const world of [alone, together]) await world.credit(random(1), 500)
      }
    }
    expect(batches.count).toBeGreaterThan(ROUNDS)
    expect(await ledgerFaults(pool)).toEqual([])
  },
)

function isNamed(step: Step): boolean {
  return (step.do === 'charge' || step.do === 'hold') && step.name !== undefined
}

function countBatches(batches: { count: number }): Sql {
  return {
    query: (async (config: pg.QueryConfig, values: unknown[]) => {
      const result = await pool.query(config, values)
      if (isBatch(config)) batches.count += 1
      return result
    }) as Sql['query'],
  }
}
