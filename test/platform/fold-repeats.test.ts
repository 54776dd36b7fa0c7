import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { foldRepeats } from '../../src/platform/fold-repeats.ts'

const MINUTE_MS = 60_000

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** What was told, as `message` or `message × times`. */
function openLog() {
  const told: string[] = []
  const tell = (fields: object, message: string) => {
    told.push('times' in fields ? `${message} × ${fields.times}` : message)
  }
  return { told, log: foldRepeats({ warn: tell, error: tell }) }
}

function errorOf(code: string): Error {
  return Object.assign(new Error('Cannot'), { code })
}

test('a trouble is told at once, and once a minute with a count as long as it goes on', () => {
  const { told, log } = openLog()

  for (let second = 0; second < 150; second += 1) {
    log.error({ err: errorOf('ECONNREFUSED'), table: 'service.task' }, 'cannot look')
    vi.advanceTimersByTime(1_000)
  }

  expect(told).toEqual(['cannot look', 'cannot look × 59', 'cannot look × 60'])
})

test('what came last is told although nothing follows, and after a minute without it the trouble is new', () => {
  const { told, log } = openLog()
  log.error({}, 'away')
  log.error({}, 'away')

  vi.advanceTimersByTime(2 * MINUTE_MS)
  log.error({}, 'away')

  expect(told).toEqual(['away', 'away × 1', 'away'])
})

test('troubles of another message, level, table, action or kind of error are told apart', () => {
  const { told, log } = openLog()

  log.error({ err: errorOf('ECONNREFUSED') }, 'one')
  log.warn({ err: errorOf('ECONNREFUSED') }, 'one')
  log.error({ err: errorOf('57P03') }, 'one')
  log.error({ err: errorOf('57P03'), table: 'bot.order' }, 'one')
  log.warn({ type: 'Error', code: '57P03', action: 'fetch updates' }, 'one')
  log.warn({ type: 'Error', code: '57P03', action: 'store updates' }, 'one')

  expect(told).toHaveLength(6)
})
