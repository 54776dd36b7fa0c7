import { expect, test } from 'vitest'
import { withNoise } from './noise.ts'
import { type Runs, readGoals, showTable, type Table, toRow } from './table.ts'

const RUNS: Runs<{ ms: number; gone: number | undefined }> = new Map([
  [
    'bare',
    [
      { ms: 10, gone: 1 },
      { ms: 30, gone: 1 },
      { ms: 20, gone: 1 },
    ],
  ],
  [
    'Kopeck',
    [
      { ms: 24, gone: undefined },
      { ms: 27, gone: undefined },
      { ms: 26, gone: undefined },
    ],
  ],
])

const TABLE: Table = {
  title: 'A table',
  says: 'What was measured.',
  columns: ['bare', 'Kopeck'],
  missing: ['nginx'],
  rows: [
    toRow(RUNS, {
      name: 'time',
      unit: 'ms',
      pick: ({ ms }) => ms,
      goals: [
        { is: 'at most', value: 1.3, times: 'bare' },
        { is: 'at most', value: 25 },
        { is: 'at most', value: 20 },
        { is: 'at most', value: 30 },
        { is: 'at least', value: 1, times: 'nginx' },
      ],
    }),
    toRow(RUNS, { name: 'gone', unit: '', digits: 1, pick: ({ gone }) => gone }),
  ],
}

test('showTable() shows medians with their spread, and the goals that are met, missed and not measured', () => {
  expect(showTable(TABLE)).toBe(
    [
      '### A table',
      '',
      'What was measured.',
      '',
      '|  | bare | Kopeck | goal |',
      '| --- | ---: | ---: | --- |',
      '| time, ms | 20 (10–30) | 26 (24–27) | ≤ 1.3 × bare (26): **not certain**; ≤ 25: **not certain**; ≤ 20: **missed**; ≤ 30: met; ≥ 1 × nginx: not measured |',
      '| gone | 1.0 (1.0–1.0) | – |  |',
      '',
      'Not installed: nginx.',
    ].join('\n'),
  )
})

test('readGoals() lists each goal with what came of it', () => {
  const [first, ...others] = readGoals(TABLE)

  expect(first).toEqual({
    subject: 'A table: time, ms',
    before: '–',
    ours: '26',
    goal: '≤ 1.3 × bare (26)',
    verdict: 'not certain',
  })
  expect(others.map(({ goal, verdict }) => [goal, verdict])).toEqual([
    ['≤ 25', 'not certain'],
    ['≤ 20', 'missed'],
    ['≤ 30', 'met'],
    ['≥ 1 × nginx', 'not measured'],
  ])
})

test('withNoise() adds what others took of the machine, with its spread', () => {
  const noise = [
    { name: 'Kopeck', others: 0.01, repeats: 0 },
    { name: 'Kopeck', others: 0.2, repeats: 2 },
    { name: 'bare', others: 0, repeats: 0 },
  ]

  expect(showTable(withNoise(TABLE, noise))).toContain(
    '| taken by others meanwhile, % of the machine | 0.0 | 1.0 (1.0–20.0) |  |',
  )
})
