import { expect, test } from 'vitest'
import { createHangUp, createStopSignals } from '../../src/process/signals.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'

function take(...instantsMs: number[]): string[] {
  const clock = createManualClock()
  const done: string[] = []
  const takeSignal = createStopSignals({
    stop: () => done.push('stop'),
    hurry: () => done.push('hurry'),
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
  ['a key that is pressed in anger', [0, 300, 600, 999]],
])('signals of one moment are one: %s', (_, instants) => {
  expect(take(...instants)).toEqual(['stop'])
})

test('a second signal a second later breaks off what the stop waits for, and a third ends the process at once', () => {
  expect(take(0, 1, 1_000, 1_001)).toEqual(['stop', 'hurry'])
  expect(take(0, 1_000, 2_000, 3_000)).toEqual(['stop', 'hurry', 'end now', 'end now'])
})

test('a SIGHUP reads the config again where the terminal is there, and where there never was one', () => {
  expect(hangUp({ before: [0, 1, 2], after: [0, 1, 2] })).toEqual(['reload'])
  expect(hangUp({ before: [], after: [] })).toEqual(['reload'])
})

test.each([
  ['the terminal was closed', [0, 1, 2]],
  ['it was closed and only errors went there', [2]],
])('a SIGHUP stops the process where %s', (_, before) => {
  expect(hangUp({ before, after: [] })).toEqual(['stop'])
})

function hangUp({ before, after }: { before: number[]; after: number[] }): string[] {
  const done: string[] = []
  let terminals = before
  const take = createHangUp({
    stop: () => done.push('stop'),
    reload: () => done.push('reload'),
    isTerminal: (stream) => terminals.includes(stream),
  })
  terminals = after
  take()
  return done
}
