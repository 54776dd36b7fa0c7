import { expect, test } from 'vitest'
import { type Runs, readMissedGoals, showTable, type Table, toRow } from './table.ts'

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
      ...{ name: 'time', unit: 'ms', pick: ({ ms }) => ms },
      goals: [
        { is: 'at most', value: 1.3, times: 'bare' },
        { is: 'at most', value: 25 },
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
      '| time, ms | 20 (10–30) | 26 (24–27) | ≤ 1.3 × bare: met; ≤ 25: **missed**; ≥ 1 × nginx: not measured |',
      '| gone | 1.0 (1.0–1.0) | – |  |',
      '',
      'Not installed: nginx.',
    ].join('\n'),
  )
})

test('readMissedGoals() names what is measured and is not reached', () => {
  expect(readMissedGoals(TABLE)).toEqual(['A table: time is 26 ms, the goal is ≤ 25.'])
})
