import { expect, test } from 'vitest'
import { findFailure, type TaskLook } from '../../../../src/bot/media/polling/poll-order.ts'

const DAY_MS = 24 * 3600_000
const GENERATING: TaskLook = { status: 'generating' }

test.each<[string, TaskLook, { denials: number; ageMs: number }]>([
  ['a task that is being made', GENERATING, { denials: 0, ageMs: DAY_MS - 1 }],
  ['a look without an answer', { status: 'unknown' }, { denials: 0, ageMs: 0 }],
  ['a task that was denied four times', { status: 'denied' }, { denials: 4, ageMs: 0 }],
  ['a clip that is late', { status: 'success', resultUrls: [''] }, { denials: 0, ageMs: DAY_MS }],
])('%s ends no order', (_name, look, facts) => {
  expect(findFailure(look, facts)).toBeUndefined()
})

test('a task that failed ends its order, and its charge is reversed as the service does', () => {
  const look: TaskLook = { status: 'fail', code: 501, message: '' }

  const failure = findFailure(look, { denials: 0, ageMs: 0 })

  expect(failure).toMatchObject({ code: 501, money: 'reversal' })
})

test.each<[string, TaskLook, { denials: number; ageMs: number }, number]>([
  ['a task that was denied five times', { status: 'denied' }, { denials: 5, ageMs: 0 }, -3],
  ['a task that did not end in a day', GENERATING, { denials: 0, ageMs: DAY_MS }, -2],
])(
  '%s ends its order, and its charge, which the service keeps, is written off',
  (_name, look, facts, code) => {
    expect(findFailure(look, facts)).toMatchObject({ code, money: 'write_off' })
  },
)
