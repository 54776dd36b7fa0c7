import { describe, expect, test } from 'vitest'
import { checkReadings } from '../../../../src/bot/spend/check/balance-check.ts'
import type { BalanceReading } from '../../../../src/bot/spend/check/balance-reading.ts'
import { explainDifference, NO_CAUSES } from '../../../../src/bot/spend/check/explain-difference.ts'

const START: BalanceReading = {
  readAt: new Date('2026-11-22T10:00:00Z'),
  balanceMicroRub: 1000n,
  chargedMicroRub: 0n,
  writtenOffMicroRub: 0n,
  estimatedMicroRub: 0n,
  heldMicroRub: 0n,
  unsettledMicroRub: 0n,
  isSettled: true,
}

function reading(facts: Partial<BalanceReading>): BalanceReading {
  return { ...START, ...facts }
}

const EXACT = { written_off: 0n, estimates: 0n, under_way: 0n, credited: 0n, not_ours: 0n }

describe('explainDifference() names', () => {
  test.each<[string, Partial<BalanceReading>, Partial<typeof EXACT>]>([
    [
      'nothing where the balance fell by what was charged',
      { balanceMicroRub: 700n, chargedMicroRub: 300n },
      {},
    ],
    [
      'what no user pays',
      { balanceMicroRub: 700n, writtenOffMicroRub: 300n },
      { written_off: 300n },
    ],
    [
      'an estimate that was too high',
      { balanceMicroRub: 900n, chargedMicroRub: 300n, estimatedMicroRub: 300n },
      { estimates: -200n },
    ],
    [
      'an estimate that was written off and that the service did not charge',
      { writtenOffMicroRub: 300n, estimatedMicroRub: 300n },
      { written_off: 300n, estimates: -300n },
    ],
    [
      'an estimate for no more than it comes to',
      { balanceMicroRub: 400n, chargedMicroRub: 300n, estimatedMicroRub: 100n },
      { estimates: 100n, not_ours: 200n },
    ],
    ['what another spent', { balanceMicroRub: 600n, chargedMicroRub: 300n }, { not_ours: 100n }],
    ['what came in', { balanceMicroRub: 5700n, chargedMicroRub: 300n }, { credited: -5000n }],
    [
      'what a request under way has taken',
      { balanceMicroRub: 950n, heldMicroRub: 80n },
      { under_way: 50n },
    ],
    [
      'what the service moves late',
      { chargedMicroRub: 300n, unsettledMicroRub: 300n },
      { under_way: -300n },
    ],
    [
      'what is under way for no more than it may come to',
      { balanceMicroRub: 900n, heldMicroRub: 80n },
      { under_way: 80n, not_ours: 20n },
    ],
  ])('%s', (_, to, causes) => {
    expect(explainDifference(START, reading(to))).toEqual({ ...EXACT, ...causes })
  })

  test('what was under way at the beginning and is charged by the end', () => {
    const from = reading({ heldMicroRub: 100n })
    const to = reading({ chargedMicroRub: 100n })

    expect(explainDifference(from, to)).toEqual({ ...EXACT, under_way: -100n })
  })
})

test('a credit and what another spent between settled readings do not hide each other', () => {
  const readings = [START, reading({ balanceMicroRub: 900n }), reading({ balanceMicroRub: 1400n })]
  const last = reading({
    balanceMicroRub: 1300n,
    chargedMicroRub: 100n,
    readAt: new Date('2026-11-23T10:00:00Z'),
  })

  expect(checkReadings({ first: START, causes: NO_CAUSES, since: readings }, last)).toEqual({
    from: START.readAt,
    to: new Date('2026-11-23T10:00:00Z'),
    movedMicroRub: -300n,
    chargedMicroRub: 100n,
    differenceMicroRub: -400n,
    causes: { ...EXACT, not_ours: 100n, credited: -500n },
    mayEvenOut: false,
  })
})

test('one reading alone differs from nothing', () => {
  const kept = { first: undefined, causes: NO_CAUSES, since: [] }

  expect(checkReadings(kept, START)).toMatchObject({ differenceMicroRub: 0n, causes: EXACT })
})
