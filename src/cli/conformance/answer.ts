import { isJsonObject } from '../../platform/http/json.ts'

/** A request below the base URL. */
export interface Ask {
  method: 'GET' | 'POST'
  path: string
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Another key, or none. */
  apiKey?: string | undefined
  /** False for requests that test the limit itself: it is neither kept to nor waited out. */
  isPaced?: boolean
}

/** An answer as it came. */
export interface WireAnswer {
  ask: Ask
  /** The key that it was asked with, if any. */
  apiKey: string | undefined
  status: number
  contentType: string
  /** The service's name of the request, if it gave one. */
  requestId: string | undefined
  /** How long it asks to wait, if it does. */
  retryAfterMs: number | undefined
  /** The time on the monotonic clock at which the request was sent. */
  askedAtMs: number
  text: string
  /** Undefined where the text is no JSON. */
  json: unknown
}

/** Describes an answer by its status and the problem that it names. */
export function describeAnswer({ status, json }: WireAnswer): string {
  const detail = isJsonObject(json) ? json.detail : undefined
  if (detail === undefined || detail === null) return String(status)
  return `${status}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`
}
