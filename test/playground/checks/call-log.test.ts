import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { createCallLog } from '../../../src/playground/checks/call-log.ts'
import { createChanges } from '../../../src/playground/updates/changes.ts'

test('of large calls fewer are kept, and each is found by its number', () => {
  const log = createCallLog({ clock: systemClock, changes: createChanges() })
  const params = { texts: new Map([['text', 'a'.repeat(1_000_000)]]), uploads: new Map() }

  for (let count = 0; count < 50; count++) log.begin('sendMessage', params)
  log.begin('getMe')

  expect(log.calls).toHaveLength(33)
  expect([log.find(18), log.find(19)?.seq, log.find(51)?.method]).toEqual([undefined, 19, 'getMe'])
})
