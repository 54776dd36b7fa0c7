import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { CONTEXT_LENGTH_EXCEEDED, MODEL_MISCONFIGURED } from '../errors.ts'
import {
  ContextLengthExceededError,
  InsufficientBalanceError,
  InvalidRequestError,
  ModelMisconfiguredError,
  NotThisServiceError,
  OutcomeUnknownError,
  ProviderRejectedError,
  RateLimitedError,
  type ServiceError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnexpectedAnswerError,
} from './errors.ts'

const DETAIL_CHARS_MAX = 2_000
const FIELDS_MAX = 100

/** What Python's frameworks say of a path that is not there. */
const FRAMEWORK_WORDS: ReadonlySet<string> = new Set(['Not Found', 'Method Not Allowed'])

/** An answer that is not a 2xx. */
export interface RefusedCall {
  action: string
  method: 'GET' | 'POST'
  status: number
  body: string
  retryAfterMs: number | undefined
  isAlwaysThere?: boolean | undefined
}

/**
 * Turns a refusal into the error that callers know it by.
 *
 * A POST answered by a gateway in between (a 502 that is not JSON, 504, any other 5xx) may have been
 * carried out: its outcome is unknown. A GET changes nothing: every 5xx is the service being away.
 */
export function toRefusalError(refused: RefusedCall): ServiceError {
  const { action, method, status, retryAfterMs, isAlwaysThere } = refused
  const message = `Cannot ${action}: the service answered ${status}`
  const body = parseJson(refused.body)
  const facts = { status, detail: readDetail(body), retryAfterMs }

  if (status === 401 || status === 403) return new UnauthorizedError(message, facts)
  if (status === 402) return new InsufficientBalanceError(message, facts)
  if (status === 429) return new RateLimitedError(message, facts)
  if (readCode(body) === CONTEXT_LENGTH_EXCEEDED) {
    return new ContextLengthExceededError(message, facts)
  }
  if (isAlwaysThere && isMissingPath(status, facts.detail)) {
    return new NotThisServiceError(message, facts)
  }
  if (status >= 400 && status < 500) return new InvalidRequestError(message, facts)
  if (status < 400) return new UnexpectedAnswerError(message, facts)
  if (status === 503 && readCode(body) === MODEL_MISCONFIGURED) {
    return new ModelMisconfiguredError(message, facts)
  }
  if (method === 'GET' || status === 503) return new ServiceUnavailableError(message, facts)
  if (status === 502 && isJsonObject(body)) return new ProviderRejectedError(message, facts)
  return new OutcomeUnknownError(message, facts)
}

/** A service of this interface explains a 404 in words of its own. Those of frameworks are about the path. */
function isMissingPath(status: number, detail: string | undefined): boolean {
  return (status === 404 || status === 405) && (detail === undefined || FRAMEWORK_WORDS.has(detail))
}

/** Services that answer as OpenAI does have the code in an `error`. */
function readCode(body: unknown): unknown {
  if (!isJsonObject(body)) return undefined
  return body.code ?? (isJsonObject(body.error) ? body.error.code : undefined)
}

function readDetail(body: unknown): string | undefined {
  const detail = isJsonObject(body) ? body.detail : undefined
  const text = Array.isArray(detail)
    ? detail.slice(0, FIELDS_MAX).flatMap(describeField).join('; ')
    : detail
  return typeof text === 'string' && text !== '' ? text.slice(0, DETAIL_CHARS_MAX) : undefined
}

function describeField(problem: unknown): string[] {
  if (typeof problem === 'string') return [problem]
  if (!isJsonObject(problem) || typeof problem.msg !== 'string') return []
  const loc = Array.isArray(problem.loc) ? problem.loc.filter(isLocPart) : []
  return [loc.length === 0 ? problem.msg : `${loc.join('.')}: ${problem.msg}`]
}

function isLocPart(part: unknown): part is string | number {
  return typeof part === 'string' || typeof part === 'number'
}
