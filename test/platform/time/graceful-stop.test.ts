import { expect, test } from 'vitest'
import { stopGracefully } from '../../../src/platform/time/graceful-stop.ts'
import { createManualClock } from './manual-clock.ts'

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
