import { expect, test } from 'vitest'
import { createHangUp } from '../../src/process/signals.ts'

test('a SIGHUP reads the config again where the terminal is there, and where there never was one', () => {
  expect(hangUp({ before: [0, 1, 2], after: [0, 1, 2] })).toEqual(['reload'])
  expect(hangUp({ before: [], after: [] })).toEqual(['reload'])
})

// Promise: The terminal of a process is closed
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
