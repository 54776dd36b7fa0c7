import { expect, test } from 'vitest'
import {
  RETRY_AFTER_MS_MAX,
  readBreak,
  readRefusal,
  toFailureKind,
  toFailureLine,
} from '../../../src/service/providers/failure.ts'

const NOTHING = { secrets: [], texts: [] }

test.each([
  [429, 'rate_limited'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [400, 'refused'],
  [301, 'refused'],
  [408, 'timed_out'],
  [500, 'overloaded'],
])('a refusal with status %i is %s', (status, kind) => {
  expect(toFailureKind(status)).toBe(kind)
})

test.each([
  [{ code: 'ECONNREFUSED', message: '' }, 'unreachable', 'ECONNREFUSED'],
  [
    { code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND a.b' },
    'unreachable',
    'getaddrinfo ENOTFOUND a.b',
  ],
  [
    { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed certificate' },
    'unreachable',
    'self-signed certificate',
  ],
  [
    { code: 'UND_ERR_CONNECT_TIMEOUT', message: 'Connect Timeout Error' },
    'unreachable',
    'Connect Timeout Error',
  ],
  [{ code: 'ECONNRESET', message: 'read ECONNRESET' }, 'reset', 'read ECONNRESET'],
  [{ code: 'UND_ERR_SOCKET', message: 'other side closed' }, 'reset', 'other side closed'],
  [
    { code: 'UND_ERR_HEADERS_TIMEOUT', message: 'Headers Timeout Error' },
    'timed_out',
    'Headers Timeout Error',
  ],
  [{ name: 'HTTPParserError', message: 'Expected HTTP/' }, 'malformed', 'Expected HTTP/'],
])('a connection that ended with %o is %s', (facts, kind, explanation) => {
  expect(readBreak(Object.assign(new Error(), facts), NOTHING)).toEqual({ kind, explanation })
})

test('a refusal is read with its status, its words and how long it asks for', () => {
  const answer = { status: 429, headers: { 'retry-after': '7' }, body: Buffer.from('Slow down') }

  expect(readRefusal(answer, NOTHING)).toEqual({
    kind: 'rate_limited',
    status: 429,
    explanation: 'Slow down',
    retryAfterMs: 7000,
  })
})

test('no provider is left alone for longer than the bound, however long it asks for', () => {
  const answer = { status: 503, headers: { 'retry-after': '86400' }, body: '' }

  expect(readRefusal(answer, NOTHING).retryAfterMs).toBe(RETRY_AFTER_MS_MAX)
})

test("the operator's line names the work, and how long to wait is no part of it", () => {
  const work = { model: 'alpha', upstream: 'first', accountId: 7, requestId: 'r' }

  expect(
    toFailureLine(work, { kind: 'rate_limited', status: 429, explanation: 'no', retryAfterMs: 1 }),
  ).toEqual({ ...work, kind: 'rate_limited', status: 429, said: 'no' })
})
