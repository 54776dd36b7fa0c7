import { expect, test } from 'vitest'
import { settleWithin, stopGracefully } from '../../../src/platform/time/graceful-stop.ts'
import { createManualClock } from './manual-clock.ts'

test('settleWithin() waits for all work, also for work that fails, and leaves no wait behind', async () => {
  const clock = createManualClock()
  const work = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]

  const settling = settleWithin(
    work.map(({ promise }) => promise),
    1000,
    clock,
  )
  work[0]?.reject(new Error('failed'))
  work[1]?.resolve()

  expect(await settling).toBe(true)
  expect(clock.nextInMs()).toBe(Number.POSITIVE_INFINITY)
})

test('settleWithin() reports work that needs longer', async () => {
  const clock = createManualClock()

  const settling = settleWithin([new Promise(() => {})], 1000, clock)
  await clock.run(1000)

  expect(await settling).toBe(false)
})

test('stopGracefully() aborts work that needs longer and waits for its end', async () => {
  const clock = createManualClock()
  const stopping = new AbortController()
  const aborted = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve())
  })

  const stopped = stopGracefully([aborted], { timeoutMs: 5000, stopping, clock })
  await clock.run(4999)
  const wasAborted = stopping.signal.aborted
  await clock.run(1)
  await stopped

  expect([wasAborted, stopping.signal.aborted]).toEqual([false, true])
})

test('stopGracefully() gives up on work that does not notice that it was aborted', async () => {
  const clock = createManualClock()
  const never = new Promise(() => {})

  const stopped = stopGracefully([never], {
    timeoutMs: 5000,
    stopping: new AbortController(),
    clock,
  })
  await clock.run(6000)

  await expect(stopped).resolves.toBeUndefined()
})
