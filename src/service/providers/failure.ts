import { type HttpHeaders, readRetryAfterMs } from '../../platform/http/exchange.ts'
import { toExplanation, type Unspeakable } from './explanation.ts'
import { isRejection } from './judge-status.ts'

/**
 * Why a provider did not do what it was asked, in a word that counts it.
 *
 * - `rate_limited`: it takes no more requests of ours now (429).
 * - `unauthorized`: our key, our balance or our rights there (401, 402, 403, or a code that says there is no money).
 * - `refused`: it refused what was asked, by any other status below 500, or named no work that it began.
 * - `overloaded`: it failed by itself (5xx), or says so.
 * - `unreachable`: there was no connection.
 * - `reset`: the connection broke.
 * - `malformed`: what came is not what its interface says.
 * - `timed_out`: nothing came in time.
 */
export type FailureKind =
  | 'rate_limited'
  | 'refused'
  | 'unauthorized'
  | 'unreachable'
  | 'reset'
  | 'malformed'
  | 'timed_out'
  | 'overloaded'

/** One failure of a provider, as its operator reads of it. Nothing of it is for the client. */
export interface ProviderFailure {
  kind: FailureKind
  status?: number | undefined
  explanation?: string | undefined
  /** How long it asks to be left alone: at most `RETRY_AFTER_MS_MAX`. */
  retryAfterMs?: number | undefined
}

/** The work that a provider failed at, as the operator's line names it. */
export type FailedWork = { upstream: string; accountId: number } & (
  | { model: string; requestId: string }
  | { endpoint: string; taskId: number }
)

/** The longest wait at once, also where a provider asks for a longer one. */
export const RETRY_AFTER_MS_MAX = 300_000

/** The operator's line about a failure has the same fields for chats and for creations. */
export function toFailureLine(
  work: FailedWork,
  { kind, status, explanation }: ProviderFailure,
): FailedWork & Pick<ProviderFailure, 'kind' | 'status'> & { said: string | undefined } {
  return { ...work, kind, status, said: explanation }
}

const IS_OUT_OF_MONEY =
  /^(?:insufficient_quota|exceeded_current_quota_error|billing_hard_limit_reached|billing_not_active|insufficient_balance)\b/i
/** Codes and words about a model that is not there: some say so with 400, as if the request were wrong. */
const IS_NO_SUCH_MODEL =
  /^(?:model_not_found|invalid_model)\b|\b(?:is not a valid model|model not exist|invalid model\b|model .{1,200} does not exist)/i

/** Words about what a client wrote, at a status that usually speaks of our rights: OpenRouter's moderation. */
const IS_ABOUT_INPUT = /\b(?:input|prompt|content)\b.{0,20}\bflagged\b/i

/** Checks whether a code says that there is no money of ours left. */
export function isOutOfMoney(code: string): boolean {
  return IS_OUT_OF_MONEY.test(code)
}

/** Checks whether a refusal is about the request: by its status, unless its words say that it is not, or that it is. */
export function isAboutRequest(
  status: number,
  { kind, explanation = '' }: ProviderFailure,
): boolean {
  if (kind !== 'refused') return false
  if (isRejection(status)) return !IS_NO_SUCH_MODEL.test(explanation)
  return status === 403
}

/** Names the kind of failure of a status that is no success. */
export function toFailureKind(status: number): FailureKind {
  if (status === 429) return 'rate_limited'
  if (status >= 401 && status <= 403) return 'unauthorized'
  if (status === 408) return 'timed_out'
  return status >= 500 ? 'overloaded' : 'refused'
}

function toRefusalKind(status: number, explanation: string): FailureKind {
  if (status === 403 && IS_ABOUT_INPUT.test(explanation)) return 'refused'
  return isOutOfMoney(explanation) ? 'unauthorized' : toFailureKind(status)
}

/** Reads a refusal. @param body At most `EXPLANATION_BYTES_MAX` bytes of it. */
export function readRefusal(
  { status, headers, body }: { status: number; headers: HttpHeaders; body: Uint8Array | string },
  unspeakable: Unspeakable,
): ProviderFailure {
  const retryAfterMs = readRetryAfterMs(headers)
  const explanation = toExplanation(body, unspeakable)
  return {
    kind: toRefusalKind(status, explanation ?? ''),
    status,
    explanation,
    retryAfterMs: retryAfterMs && Math.min(retryAfterMs, RETRY_AFTER_MS_MAX),
  }
}

/**
 * Reads why there was no whole answer, by the error of the system or of the HTTP client.
 *
 * @see https://undici.nodejs.org/#/docs/api/Errors
 */
export function readBreak(error: unknown, unspeakable: Unspeakable): ProviderFailure {
  const { name, code, message } = (error ?? {}) as Record<string, unknown>
  // Where all addresses of a name failed, the message is empty.
  const explanation = toExplanation(String(message || code || ''), unspeakable)
  return { kind: name === 'HTTPParserError' ? 'malformed' : toBreakKind(String(code)), explanation }
}

function toBreakKind(code: string): FailureKind {
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return 'reset'
    case 'UND_ERR_HEADERS_OVERFLOW':
      return 'malformed'
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return 'timed_out'
    default:
      return 'unreachable'
  }
}
