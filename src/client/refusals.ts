import type { FieldProblem } from '../contract/errors.ts'
import { isJsonObject, parseJson } from '../http/json.ts'
import {
  InsufficientBalanceError,
  InvalidRequestError,
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

/** An answer that is not a 2xx. */
export interface Refusal {
  /** What was being done, in the infinitive: "create video". */
  action: string
  method: 'GET' | 'POST'
  status: number
  body: string
  retryAfterMs: number | undefined
}

/**
 * Turns a refusal into the error that callers know it by.
 *
 * A POST answered by a gateway in between (a 502 that is not JSON, 504, any other 5xx) may have been
 * carried out: its outcome is unknown. A GET changes nothing: every 5xx is the service being away.
 */
export function toRefusalError(refusal: Refusal): ServiceError {
  const { action, method, status, retryAfterMs } = refusal
  const message = `Cannot ${action}: the service answered ${status}`
  const body = parseJson(refusal.body)
  const { detail, fields } = readDetail(body)
  const facts = { status, detail }

  if (status === 401 || status === 403) return new UnauthorizedError(message, facts)
  if (status === 402) return new InsufficientBalanceError(message, facts)
  if (status === 429) return new RateLimitedError(message, { ...facts, retryAfterMs })
  if (status >= 400 && status < 500) return new InvalidRequestError(message, { ...facts, fields })
  if (status < 400) return new UnexpectedAnswerError(message, facts)
  if (method === 'GET' || status === 503) {
    return new ServiceUnavailableError(message, { ...facts, retryAfterMs })
  }
  if (status === 502 && isJsonObject(body)) return new ProviderRejectedError(message, facts)
  return new OutcomeUnknownError(message, facts)
}

/** Reads `detail` as a string or as a list of refused fields; a list becomes a line of text as well. */
function readDetail(body: unknown): { detail: string | undefined; fields: FieldProblem[] } {
  const detail = isJsonObject(body) ? body.detail : undefined
  if (typeof detail === 'string') return { detail: cut(detail), fields: [] }
  if (!Array.isArray(detail)) return { detail: undefined, fields: [] }
  const fields = detail.slice(0, FIELDS_MAX).flatMap(readField)
  const text = fields.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  return { detail: text === '' ? undefined : cut(text), fields }
}

function readField(problem: unknown): FieldProblem[] {
  if (typeof problem === 'string') return [{ loc: [], msg: problem }]
  if (!isJsonObject(problem) || typeof problem.msg !== 'string') return []
  const loc = Array.isArray(problem.loc) ? problem.loc.filter(isLocPart) : []
  return [{ loc, msg: problem.msg }]
}

function isLocPart(part: unknown): part is string | number {
  return typeof part === 'string' || typeof part === 'number'
}

function cut(text: string): string {
  return text.slice(0, DETAIL_CHARS_MAX)
}
