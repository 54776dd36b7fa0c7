import { channel, tracingChannel } from 'node:diagnostics_channel'

/**
 * A piece of work in a trace. What people write, keys and queries of URLs must not be in it.
 *
 * @see docs/service.md#traces
 */
export interface Span {
  name: string
  /** The side that it is on: `server` answers somebody, `client` asks somebody. */
  kind: 'server' | 'client' | 'internal'
  /** Read when it ends, so work may add to them. What is undefined is left out. */
  attributes: Record<string, string | number | boolean | undefined>
  /** The W3C header of the request that asked for it. By default it is a part of the work around it. */
  traceparent?: string | undefined
  /** The reason why it failed. */
  error?: unknown
}

/** Headers of a request to another service, to which a trace may add its own. */
export interface OutgoingRequest {
  headers: Record<string, string>
}

/** The channel of spans. Nothing listens unless traces are exported, and then nothing is done here. */
export const spans = tracingChannel<unknown, Span>('kopeck:span')
/** The channel of requests that are about to be sent. */
export const outgoingRequests = channel('kopeck:outgoing-request')

/** Returns whether traces are exported. */
export function isTracing(): boolean {
  return spans.hasSubscribers
}

/** Does work as a span: it begins now, and ends with the work. */
export function inSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  return spans.hasSubscribers ? spans.tracePromise(work, span) : work()
}

/**
 * Goes on with the work of a span that no one function does, and begins it where that is new: `endSpan()` ends
 * it. Safe to repeat, where the work comes back from elsewhere.
 */
export function enterSpan(span: Span, goOn: () => void): void {
  if (spans.hasSubscribers) spans.start.runStores(span, goOn)
  else goOn()
}

/** Ends a span that `enterSpan()` began. */
export function endSpan(span: Span): void {
  spans.asyncEnd.publish(span)
}

/** The headers of a request, with that of the trace whose work it is. */
export function withTraceparent(headers: Record<string, string>): Record<string, string> {
  if (!outgoingRequests.hasSubscribers) return headers
  const request: OutgoingRequest = { headers: { ...headers } }
  outgoingRequests.publish(request)
  return request.headers
}
