import type { ResponseParameters } from 'grammy/types'

const PREFIXES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  500: 'Internal Server Error',
}

/** Raw server codes that Telegram answers in words. */
const WORDS: Readonly<Record<string, string>> = {
  MESSAGE_NOT_MODIFIED:
    'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
  QUERY_ID_INVALID: 'query is too old and response timeout expired or query ID is invalid',
  MESSAGE_DELETE_FORBIDDEN: "message can't be deleted",
  REPLY_MARKUP_TOO_LONG: 'reply markup is too long',
  EXTERNAL_URL_INVALID: 'Wrong HTTP URL specified',
  WEBPAGE_CURL_FAILED: 'Failed to get HTTP URL content',
  WEBPAGE_MEDIA_EMPTY: 'Wrong type of the web page content',
}

/** A request that ends with `"ok":false`. The message is the description, exactly as it is sent. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: number
  readonly parameters: ResponseParameters

  constructor(code: number, description: string, parameters: ResponseParameters = {}) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

/** Refuses a request the way a method does: the prefix of the code, then the reason in Telegram's case. */
export function refusal(code: number, reason: string, parameters?: ResponseParameters): ApiError {
  const words = (code === 400 && WORDS[reason]) || reason
  const prefix = PREFIXES[code] ?? 'Bad Request'
  const description = words.startsWith(prefix) ? words : `${prefix}: ${lowerFirst(words)}`
  return new ApiError(code, description, parameters)
}

export function badRequest(reason: string, parameters?: ResponseParameters): ApiError {
  return refusal(400, reason, parameters)
}

export function forbidden(reason: string): ApiError {
  return refusal(403, reason)
}

/** @param retryAfter Whole seconds, ≥ 1. */
export function tooManyRequests(retryAfter: number): ApiError {
  return new ApiError(429, `Too Many Requests: retry after ${retryAfter}`, {
    retry_after: retryAfter,
  })
}

export function conflict(): ApiError {
  return refusal(
    409,
    'terminated by other getUpdates request; make sure that only one bot instance is running',
  )
}

export function requestTooLarge(): ApiError {
  return new ApiError(413, 'Request Entity Too Large')
}

/** The result of a method; only webhook methods describe their success. */
export interface MethodAnswer {
  result: unknown
  description?: string
}

export type Envelope =
  | { ok: true; result: unknown; description?: string }
  | { ok: false; error_code: number; description: string; parameters?: ResponseParameters }

export function toEnvelope(outcome: MethodAnswer | ApiError): Envelope {
  if (!(outcome instanceof ApiError)) return { ok: true, ...outcome }
  const envelope: Envelope = {
    ok: false,
    error_code: outcome.code,
    description: outcome.message,
  }
  if (Object.keys(outcome.parameters).length > 0) envelope.parameters = outcome.parameters
  return envelope
}

/** Raw codes such as `MESSAGE_TOO_LONG` keep their case: their second character gives them away. */
function lowerFirst(text: string): string {
  if (/^.[A-Z_]/.test(text)) return text
  return text.charAt(0).toLowerCase() + text.slice(1)
}
