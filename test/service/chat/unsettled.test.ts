import { expect, test } from 'vitest'
import { Unsettled } from '../../../src/service/chat/unsettled.ts'
import type { Ledger } from '../../../src/service/ledger/ledger.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

test('settle() waits for an end whose first attempt fails meanwhile', async () => {
  const clock = createManualClock()
  const unsettled = new Unsettled({} as Ledger, clock)
  const first = Promise.withResolvers<boolean>()
  const attempts = [first.promise, Promise.resolve(true)]
  const done: string[] = []
  const end = () => attempts.shift() ?? expect.unreachable()
  void unsettled
    .store(end, { log: { error: () => {} }, waitMs: 60_000 })
    .then((isStored) => done.push(`stored: ${isStored}`))

  const settling = unsettled.settle(60_000).then(() => done.push('settled'))
  first.reject(Object.assign(new Error('connection lost'), { code: 'ECONNRESET' }))
  await clock.untilAsleep(2)
  await clock.run(5_000)
  await settling

  expect(done).toEqual(['stored: true', 'settled'])
})
