import { expect, test } from 'vitest'
import { createStopSignals } from '../../src/process/signals.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'

/** Sends signals at these instants. @returns The calls that they lead to, in order. */
function take(...instantsMs: number[]): string[] {
  const clock = createManualClock()
  const done: string[] = []
  const takeSignal = createStopSignals({
    stop: () => done.push('stop'),
    endNow: () => done.push('end now'),
    clock,
  })
  for (const instantMs of instantsMs) {
    clock.advance(instantMs - clock.now())
    takeSignal()
  }
  return done
}

test.each([
  ['a key that npm hands on', [0, 1]],
  ['a key that is held', [0, 1, 2, 3, 4_999, 5_000]],
  ['a second one, however late', [0, 20_000]],
])('signals after the first change nothing: %s', (_, instants) => {
  expect(take(...instants)).toEqual(['stop'])
})

test('a third signal more than 5 s after the first ends the process at once', () => {
  expect(take(0, 1, 5_001)).toEqual(['stop', 'end now'])
})
