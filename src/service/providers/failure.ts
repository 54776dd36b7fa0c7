import { type HttpHeaders, readRetryAfterMs } from '../../platform/http/http-client.ts'
import { toExplanation, type Unspeakable } from './explanation.ts'

/** Why a provider did not do what it was asked, in a word that counts it. */
export type FailureKind =
  | 'rate_limited' // It takes no more requests of ours now (429).
  | 'unauthorized' // Our key, balance or rights there (401, 402, 403), or a code of no money.
  | 'refused' // It refused by any other status below 500, or named no work that it began.
  | 'overloaded' // It failed by itself (5xx), or says so.
  | 'unreachable' // There was no connection.
  | 'reset' // The connection broke.
  | 'malformed' // The answer does not follow the provider's interface.
  | 'timed_out' // Nothing came in time.

/** One failure of a provider, as its operator reads of it. Nothing of it is for the client. */
export interface ProviderFailure {
  kind: FailureKind
  status?: number | undefined
  explanation?: string | undefined
  /** How long it asks to be left alone: at most `RETRY_AFTER_MS_MAX`. */
  retryAfterMs?: number | undefined
}

/** A provider that refuses our requests until the operator has fixed something, for the operator's eyes. */
export interface LastingRefusal {
  model?: string
  endpoint?: string
  upstream: string
  failure: ProviderFailure
}

/** The longest wait at once, also where a provider asks for a longer one. */
export const RETRY_AFTER_MS_MAX = 300_000

export function toFailureLine<Work extends object>(work: Work, failure: ProviderFailure) {
  const { kind, status, explanation } = failure
  return { ...work, kind, status, said: explanation }
}

/** Checks whether nearly every request meets this failure until the operator has fixed something. */
export function isLasting({ kind }: Pick<ProviderFailure, 'kind'>): boolean {
  return kind === 'refused' || kind === 'unauthorized'
}

/** `rejected`: the same request would be refused again. `refused`: any request would. `unknown`: work may have begun. */
export type Verdict = 'accepted' | 'rejected' | 'refused' | 'unavailable' | 'unknown'

/** Our key, our balance there, our rights, our model's name, a proxy of ours. */
const OPERATORS_STATUSES: readonly number[] = [401, 402, 403, 404, 405, 407]
/** A time-out or a limit: it passes. */
const PASSING_STATUSES: readonly number[] = [408, 409, 425, 429, 503]

/** Judges an answer by its status. A redirect, or 5xx except 503, says nothing about the work (docs/service.md). */
export function judgeStatus(status: number): Verdict {
  if (status >= 200 && status < 300) return 'accepted'
  if (OPERATORS_STATUSES.includes(status)) return 'refused'
  if (PASSING_STATUSES.includes(status)) return 'unavailable'
  return status >= 400 && status < 500 ? 'rejected' : 'unknown'
}

/** Codes that say that there is no money of ours left. */
export const IS_OUT_OF_MONEY =
  /^(?:insufficient_quota|exceeded_current_quota_error|billing_hard_limit_reached|billing_not_active|insufficient_balance)\b/i
/** Codes and words about a model that is not there: some say so with 400, as if the request were wrong. */
const IS_NO_SUCH_MODEL =
  /^(?:model_not_found|invalid_model)\b|\b(?:is not a valid model|model not exist|invalid model\b|model .{1,200} does not exist)/i

/** Words about what a client wrote, at a status that usually speaks of our rights: OpenRouter's moderation. */
const IS_ABOUT_INPUT = /\b(?:input|prompt|content)\b.{0,20}\bflagged\b/i
/** OpenRouter has the model, but not with the tools or the format that a request asks for. */
const IS_ABOUT_PARAMETERS = /\bno endpoints found that (?:support|can handle)\b/i

/** Checks whether a refusal is about the request: by its status, unless its words say that it is not, or that it is. */
export function isAboutRequest(
  status: number,
  { kind, explanation = '' }: ProviderFailure,
): boolean {
  if (kind !== 'refused') return false
  if (judgeStatus(status) === 'rejected') return !IS_NO_SUCH_MODEL.test(explanation)
  return status === 403 || IS_ABOUT_PARAMETERS.test(explanation)
}

export function toFailureKind(status: number): FailureKind {
  if (status === 429) return 'rate_limited'
  if (status >= 401 && status <= 403) return 'unauthorized'
  if (status === 408) return 'timed_out'
  return status >= 500 ? 'overloaded' : 'refused'
}

function toRefusalKind(status: number, explanation: string): FailureKind {
  if (status === 403 && IS_ABOUT_INPUT.test(explanation)) return 'refused'
  return IS_OUT_OF_MONEY.test(explanation) ? 'unauthorized' : toFailureKind(status)
}

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

const BREAK_KINDS: Readonly<Record<string, FailureKind>> = {
  HTTPParserError: 'malformed',
  UND_ERR_HEADERS_OVERFLOW: 'malformed',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  UND_ERR_HEADERS_TIMEOUT: 'timed_out',
  UND_ERR_BODY_TIMEOUT: 'timed_out',
}

/** Reads why there was no whole answer, by the error of the system or of the HTTP client (undici). */
export function readBreak(error: unknown, unspeakable: Unspeakable): ProviderFailure {
  const { name, code, message } = (error ?? {}) as Record<string, unknown>
  // If all addresses of a name failed, the message is empty.
  const explanation = toExplanation(String(message || code || ''), unspeakable)
  return {
    kind: BREAK_KINDS[String(name === 'HTTPParserError' ? name : code)] ?? 'unreachable',
    explanation,
  }
}
