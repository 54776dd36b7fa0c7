import type pg from 'pg'
import { expect } from 'vitest'
import { fromWireRub } from '../../../../src/contract/money.ts'
import { eventsOf, type Report } from './client.ts'
import { MAX_TOKENS_BASE } from './plan.ts'
import type { Payer } from './run.ts'
import { COMPLETION_MICRO_RUB_PER_TOKEN } from './services.ts'

interface HoldRow {
  request_id: string
  account_id: number
  state: 'held' | 'settled' | 'released' | 'captured'
  amount: string
  cost: string
}

/** Every balance is what its movements come to. */
export async function checkLedger(sql: pg.Pool) {
  const faults = await sql.query('SELECT * FROM service.ledger_fault')
  const differing = await sql.query(`
    SELECT id FROM service.account
    WHERE balance_micro_rub IS DISTINCT FROM
      (SELECT sum(amount_micro_rub) FROM service.movement WHERE account_id = account.id)`)

  expect(faults.rows).toEqual([])
  expect(differing.rows).toEqual([])
}

/** Every hold is of one request, and ended as its client saw it end. */
export async function checkHolds(
  sql: pg.Pool,
  reports: readonly Report[],
  payers: readonly Payer[],
) {
  const { rows } = await sql.query<HoldRow>(`
    SELECT id AS request_id, account_id, COALESCE(end_state::text, 'held') AS state, held_micro_rub::text AS amount,
           cost_micro_rub::text AS cost
    FROM service.request WHERE end_reason IS DISTINCT FROM 'withdrawn'`)
  const holds = new Map(rows.map((hold) => [toIndex(hold), hold]))
  expect(holds.size).toBe(rows.length)

  const chats = reports.filter(
    ({ planned }) => planned.kind === 'plain' || planned.kind === 'stream',
  )
  const known = new Set(chats.map(({ planned }) => planned.index))
  expect([...holds.keys()].filter((index) => !known.has(index))).toEqual([])
  for (const report of chats) {
    const hold = holds.get(report.planned.index)
    if (hold !== undefined) {
      expect(hold.account_id).toBe(payers[report.planned.account]?.accountId)
      expect(hold.state).not.toBe('held')
    }
    checkEnd(report, hold)
  }
}

function toIndex({ amount }: HoldRow): number {
  return Number(BigInt(amount) / COMPLETION_MICRO_RUB_PER_TOKEN) - MAX_TOKENS_BASE
}

function checkEnd(report: Report, hold: HoldRow | undefined) {
  const { outcome, planned } = report
  const message = `request ${planned.index}, ${outcome}`
  switch (outcome) {
    case '200': {
      const { id, costRub } = readCost(report)
      expect(hold, message).toMatchObject({ state: 'settled', request_id: id })
      expect(BigInt(hold?.cost ?? -1), message).toBe(fromWireRub(costRub))
      return
    }
    case 'broken':
      expect(hold?.state, message).toBe('captured')
      return
    case 'left':
    case 'cut': {
      // Who has read a word pays; of who has not, it is unknown how far the answer had come.
      if (eventsOf(report.text).length > 0) {
        expect(hold?.state, message).toMatch(/^(captured|settled)$/)
      }
      return
    }
    case '502':
    case '503':
      expect(hold?.state ?? 'released', message).toBe('released')
      return
    default:
      expect(hold, message).toBeUndefined()
  }
}

function readCost({ planned, text }: Report): { id: string; costRub: number } {
  const last = planned.kind === 'stream' ? (eventsOf(text).at(-2) ?? '') : text
  const { id, request_id, cost_rub, cost_coins } = JSON.parse(last)
  expect(cost_coins).toBe(cost_rub)
  return { id: id ?? request_id, costRub: cost_rub }
}
