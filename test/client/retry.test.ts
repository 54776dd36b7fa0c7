import { expect, test, vi } from 'vitest'
import {
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
} from '../../src/client/errors.ts'
import {
  CALL_ATTEMPTS_MAX,
  nextDelayMs,
  RETRY_WAIT_MS_MAX,
  retryRefused,
} from '../../src/client/retry.ts'

const FIRST = { attempts: 1, waitedMs: 0 }

test('nextDelayMs() waits as long as the service asks', () => {
  const error = new RateLimitedError('limited', { retryAfterMs: 4000 })

  expect(nextDelayMs(error, FIRST)).toBe(4000)
})

test('nextDelayMs() waits longer each time when the service does not say', () => {
  const error = new ServiceUnavailableError('away', { status: 503 })

  expect(nextDelayMs(error, FIRST)).toBe(500)
  expect(nextDelayMs(error, { attempts: 2, waitedMs: 500 })).toBe(1000)
})

test('nextDelayMs() ends at the bound on attempts and at the bound on waiting', () => {
  const error = new RateLimitedError('limited', { retryAfterMs: 4000 })
  const tooLong = new RateLimitedError('limited', { retryAfterMs: RETRY_WAIT_MS_MAX + 1 })

  expect(nextDelayMs(error, { attempts: CALL_ATTEMPTS_MAX, waitedMs: 0 })).toBeUndefined()
  expect(nextDelayMs(error, { attempts: 2, waitedMs: RETRY_WAIT_MS_MAX - 3999 })).toBeUndefined()
  expect(nextDelayMs(tooLong, FIRST)).toBeUndefined()
})

test.each([
  ['a 502', new ProviderRejectedError('rejected', { status: 502 })],
  ['a service that was not reached', new ServiceUnavailableError('away')],
  ['a gateway that gave up', new ServiceUnavailableError('away', { status: 504 })],
  ['an unknown outcome', new OutcomeUnknownError('lost')],
  ['a mistake of the program', new TypeError('wrong')],
])('nextDelayMs() does not repeat %s', (_name, error) => {
  expect(nextDelayMs(error, FIRST)).toBeUndefined()
})

test('retryRefused() resolves with the first attempt that is not refused', async () => {
  const sleep = vi.fn(async () => {})
  const attempt = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new RateLimitedError('limited', { retryAfterMs: 2000 }))
    .mockResolvedValueOnce('done')

  const value = await retryRefused(attempt, { clock: { sleep }, signal: undefined })

  expect(value).toBe('done')
  expect(sleep.mock.calls).toEqual([[2000, undefined]])
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
