import { expect, test } from 'vitest'
import { writeFiguresPage } from './figures-page.ts'
import type { PartResult } from './results.ts'

const RESULT: PartResult = {
  part: 'plain',
  takenAt: '2026-11-22T22:10:30.000Z',
  seconds: 61.4,
  rounds: 3,
  revision: 'abc1234',
  before: 'def5678',
  machine: '2 cores',
  loadAverage: [0.25, 1.5],
  tables: [
    {
      title: 'Plain answers',
      says: 'All of them.',
      columns: ['Kopeck'],
      rows: [
        {
          ...{ name: 'CPU', unit: 's', values: { Kopeck: [3] } },
          goals: [{ is: 'at most', value: 2 }],
        },
      ],
    },
  ],
}

test('writeFiguresPage() tells of each part when and on what it was measured, and first which goals are missed', () => {
  const page = writeFiguresPage([{ ...RESULT, part: 'stream' }, RESULT], ['plain', 'stream'])

  expect(page.match(/^## .+$/gm)).toEqual(['## plain', '## stream'])
  expect(page).toContain(
    'Goals that are missed:\n\n- Plain answers: CPU is 3 s, the goal is ≤ 2.\n',
  )
  expect(page).toContain(
    '2026-11-22 22:10 UTC, 3 rounds in 61 s, commit abc1234, before is def5678; load average 0.3 when it began and 1.5 when it ended. 2 cores.',
  )
})

test('writeFiguresPage() leaves out what was not measured', () => {
  expect(writeFiguresPage([RESULT], ['plain', 'stream'])).not.toContain('stream')
})
