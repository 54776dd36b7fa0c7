import { expect, test } from 'vitest'
import {
  ContextLengthExceededError,
  InsufficientBalanceError,
  InvalidRequestError,
  ModelMisconfiguredError,
  NotThisServiceError,
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedAnswerError,
} from '../../../src/contract/client/errors.ts'
import { type RefusedCall, toRefusalError } from '../../../src/contract/client/refusals.ts'

const JSON_BODY = '{"detail":"said"}'
const GATEWAY_PAGE = '<html>Bad Gateway</html>'
const TOO_LONG_BODY = '{"detail":"said","code":"context_length_exceeded"}'
const OPENAI_TOO_LONG_BODY = '{"error":{"code":"context_length_exceeded"}}'
const MISCONFIGURED_BODY = '{"detail":"said","code":"model_misconfigured"}'

test.each([
  ['POST', 301, JSON_BODY, UnexpectedAnswerError],
  ['POST', 400, JSON_BODY, InvalidRequestError],
  ['POST', 401, JSON_BODY, UnauthorizedError],
  ['POST', 402, JSON_BODY, InsufficientBalanceError],
  ['POST', 403, JSON_BODY, UnauthorizedError],
  ['POST', 404, JSON_BODY, InvalidRequestError],
  ['POST', 413, JSON_BODY, InvalidRequestError],
  ['POST', 415, JSON_BODY, InvalidRequestError],
  ['POST', 422, JSON_BODY, InvalidRequestError],
  ['POST', 429, JSON_BODY, RateLimitedError],
  ['POST', 500, JSON_BODY, OutcomeUnknownError],
  ['POST', 502, JSON_BODY, ProviderRejectedError],
  ['POST', 502, GATEWAY_PAGE, OutcomeUnknownError],
  ['POST', 503, JSON_BODY, ServiceUnavailableError],
  ['POST', 503, GATEWAY_PAGE, ServiceUnavailableError],
  ['POST', 503, MISCONFIGURED_BODY, ModelMisconfiguredError],
  ['POST', 502, TOO_LONG_BODY, ContextLengthExceededError],
  ['POST', 400, OPENAI_TOO_LONG_BODY, ContextLengthExceededError],
  ['POST', 504, GATEWAY_PAGE, OutcomeUnknownError],
  ['GET', 401, JSON_BODY, UnauthorizedError],
  ['GET', 429, JSON_BODY, RateLimitedError],
  ['GET', 500, JSON_BODY, ServiceUnavailableError],
  ['GET', 502, GATEWAY_PAGE, ServiceUnavailableError],
  ['GET', 503, JSON_BODY, ServiceUnavailableError],
] as const)(
  'toRefusalError() makes of %s answered %i %s the right error',
  (method, status, body, expected) => {
    const error = toRefusalError(refusal({ method, status, body }))

    expect(error).toBeInstanceOf(expected)
    expect(error).toMatchObject({ name: expected.name, status })
  },
)

test('toRefusalError() keeps the words of the service out of the message', () => {
  const error = toRefusalError(refusal({ status: 402, body: '{"detail":"needs 5, has 3"}' }))

  expect(error.detail).toBe('needs 5, has 3')
  expect(error.message).toBe('Cannot create video: the service answered 402')
})

test.each(['', GATEWAY_PAGE, 'null', '[]', '{"detail":7}', '{"detail":[]}'])(
  'toRefusalError() has no detail for the body %j',
  (body) => {
    const error = toRefusalError(refusal({ status: 422, body }))

    expect(error.detail).toBeUndefined()
  },
)

test.each([
  [404, '<html>No such page</html>', NotThisServiceError],
  [404, '{"error":{"message":"Invalid URL"}}', NotThisServiceError],
  [404, '{"detail":"Not Found"}', NotThisServiceError],
  [405, '{"detail":"Method Not Allowed"}', NotThisServiceError],
  [404, '{"detail":"There is no such model."}', InvalidRequestError],
  [422, '<html>No</html>', InvalidRequestError],
])(
  'toRefusalError() knows another server by %i %s where every service has the path',
  (status, body, expected) => {
    const elsewhere = toRefusalError(refusal({ status, body }))

    expect(toRefusalError(refusal({ status, body, isAlwaysThere: true }))).toBeInstanceOf(expected)
    expect(elsewhere).toBeInstanceOf(InvalidRequestError)
  },
)

test('toRefusalError() passes on how long to wait', () => {
  expect(toRefusalError(refusal({ status: 429, retryAfterMs: 7 }))).toMatchObject({
    retryAfterMs: 7,
  })
  expect(toRefusalError(refusal({ status: 503, retryAfterMs: 8 }))).toMatchObject({
    retryAfterMs: 8,
  })
})

function refusal(facts: Partial<RefusedCall> & { status: number }): RefusedCall {
  return { action: 'create video', method: 'POST', body: '', retryAfterMs: undefined, ...facts }
}
