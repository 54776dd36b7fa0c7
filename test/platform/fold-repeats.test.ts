import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { foldRepeats } from '../../src/platform/fold-repeats.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A log and its lines, as `message` or `message × times`. */
function openLog() {
  const lines: string[] = []
  const write = (fields: object, message: string) => {
    lines.push('times' in fields ? `${message} × ${fields.times}` : message)
  }
  return { lines, log: foldRepeats({ warn: write, error: write }) }
}

function errorOf(code: string): Error {
  return Object.assign(new Error('Cannot'), { code })
}

test('a trouble is logged at once, and once a minute with a count as long as it goes on', () => {
  const { lines, log } = openLog()

  for (let second = 0; second < 150; second += 1) {
    log.error({ err: errorOf('ECONNREFUSED'), table: 'service.task' }, 'cannot look')
    vi.advanceTimersByTime(1_000)
  }

  expect(lines).toEqual(['cannot look', 'cannot look × 60', 'cannot look × 60'])
})

test('troubles of another message, level, table, action or kind of error are different ones', () => {
  const { lines, log } = openLog()

  log.error({ err: errorOf('ECONNREFUSED') }, 'one')
  log.warn({ err: errorOf('ECONNREFUSED') }, 'one')
  log.error({ err: errorOf('57P03') }, 'one')
  log.error({ err: errorOf('57P03'), table: 'bot.order' }, 'one')
  log.warn({ type: 'Error', code: '57P03', action: 'fetch updates' }, 'one')
  log.warn({ type: 'Error', code: '57P03', action: 'store updates' }, 'one')

  expect(lines).toHaveLength(6)
})
