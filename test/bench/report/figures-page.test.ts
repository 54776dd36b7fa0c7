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
      columns: ['before', 'Kopeck'],
      rows: [
        {
          name: 'CPU',
          unit: 's',
          values: { before: [4], Kopeck: [3] },
          goals: [{ is: 'at most', value: 2 }],
        },
      ],
    },
  ],
}

test('writeFiguresPage() writes first which goals are met, then each part in order', () => {
  const page = writeFiguresPage([{ ...RESULT, part: 'stream' }, RESULT], ['plain', 'stream'])

  expect(page.match(/^## .+$/gm)).toEqual(['## Goals', '## plain', '## stream'])
  expect(page).toContain('Of 2 goals 2 are missed.')
  expect(page).toContain('| Plain answers: CPU, s | 4 | 3 | ≤ 2 | **missed** |\n')
})

test('writeFiguresPage() writes when and on what each part was measured', () => {
  const page = writeFiguresPage([RESULT], ['plain', 'stream'])

  expect(page).toContain('On 2 cores.')
  expect(page).toContain(
    '2026-11-22 22:10 UTC, 3 rounds in 61 s, commit abc1234, before is def5678; load average 0.3 when it began and 1.5 when it ended.\n',
  )
  expect(page).not.toContain('stream')
})

test('writeFiguresPage() names for each part the machine that it was measured on, if there were several', () => {
  const other = { ...RESULT, part: 'stream', machine: '8 cores' }

  const page = writeFiguresPage([RESULT, other], ['plain', 'stream'])

  expect(page).toContain('when it ended. On 2 cores.\n')
  expect(page).toContain('when it ended. On 8 cores.\n')
  expect(page.match(/On \d cores/g)).toHaveLength(2)
})
