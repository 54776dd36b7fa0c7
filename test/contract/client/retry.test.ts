import { expect, test, vi } from 'vitest'
import {
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
} from '../../../src/contract/client/errors.ts'
import { retryRefused } from '../../../src/contract/client/retry.ts'

async function waitsAfter(...errors: Error[]): Promise<number[]> {
  const waits: number[] = []
  const clock = { sleep: async (ms: number) => void waits.push(ms) }
  let attempts = 0
  const attempt = async () => {
    throw errors[Math.min(attempts++, errors.length - 1)]
  }
  await expect(retryRefused(attempt, { clock, signal: undefined })).rejects.toBe(errors.at(-1))
  return waits
}

test('retryRefused() waits as long as the service asks, twice at most', async () => {
  const error = new RateLimitedError('limited', { retryAfterMs: 4000 })

  expect(await waitsAfter(error)).toEqual([4000, 4000])
})

test('retryRefused() waits longer each time when the service does not say', async () => {
  const error = new ServiceUnavailableError('away', { status: 503 })

  expect(await waitsAfter(error)).toEqual([500, 1000])
})

test('retryRefused() ends when all waits together would be longer than 10 s', async () => {
  const long = new RateLimitedError('limited', { retryAfterMs: 10_000 })
  const tooLong = new RateLimitedError('limited', { retryAfterMs: 10_001 })
  const little = new RateLimitedError('limited', { retryAfterMs: 1 })

  expect(await waitsAfter(long, little)).toEqual([10_000])
  expect(await waitsAfter(tooLong)).toEqual([])
})

test.each([
  ['a 502', new ProviderRejectedError('rejected', { status: 502 })],
  ['a service that was not reached', new ServiceUnavailableError('away')],
  ['a gateway that gave up', new ServiceUnavailableError('away', { status: 504 })],
  ['an unknown outcome', new OutcomeUnknownError('lost')],
  ['a mistake of the program', new TypeError('wrong')],
])('retryRefused() does not repeat %s', async (_name, error) => {
  expect(await waitsAfter(error)).toEqual([])
})

test('retryRefused() stops waiting when the signal aborts', async () => {
  const controller = new AbortController()
  const reason = new Error('stopped')
  const attempt = vi.fn(() => Promise.reject(new RateLimitedError('limited')))
  const sleep = async () => {
    controller.abort(reason)
    controller.signal.throwIfAborted()
  }

  await expect(retryRefused(attempt, { clock: { sleep }, signal: controller.signal })).rejects.toBe(
    reason,
  )

  expect(attempt).toHaveBeenCalledOnce()
})
