import type pg from 'pg'
import { expect } from 'vitest'
import type { GivenOutcome } from './requests.ts'

interface Found {
  requestId: string
  state: string | null
  cost: string | null
  isMarked: boolean | null
  isCharged: boolean
}

/** Expects that the outcome each request was given is true. */
export async function expectTruth(pool: pg.Pool, given: readonly GivenOutcome[]): Promise<void> {
  const { rows } = await pool.query<Found>(
    `SELECT asked.id AS "requestId", state, cost_micro_rub::bigint::text AS cost,
       first_output_at IS NOT NULL AS "isMarked",
       EXISTS (SELECT FROM service.task WHERE idempotency_key = asked.id::text) AS "isCharged"
     FROM (SELECT DISTINCT unnest($1::uuid[]) AS id) AS asked
     LEFT JOIN service.hold ON request_id = asked.id`,
    [given.map(({ requestId }) => requestId)],
  )
  const found = new Map(rows.map((row) => [row.requestId, row]))
  const untrue = given.filter((each) => !isTrue(each, found.get(each.requestId)))
  expect(untrue.map((each) => ({ given: each, found: found.get(each.requestId) }))).toEqual([])
}

function isTrue({ outcome, costMicroRub }: GivenOutcome, found: Found | undefined): boolean {
  switch (outcome) {
    case 'refused':
      return found?.state === null
    case 'held':
      return found?.state !== null
    case 'marked':
      return found?.isMarked === true && found.state !== 'released'
    case 'charged':
      return found?.isCharged === true
    case 'settled':
      return found?.state === 'settled' && found.cost === `${costMicroRub}`
    default:
      return found?.state === outcome
  }
}
