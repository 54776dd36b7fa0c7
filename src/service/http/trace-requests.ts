import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readHeader } from '../../platform/http/headers.ts'
import { endSpan, enterSpan, isTracing, type Span } from '../../platform/tracing/span.ts'
import { CLIENT_GONE } from './client-gone.ts'

/** Makes each request a span, of the caller's trace where its `traceparent` names one. */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, { raw }, done) => {
    if (!isTracing()) {
      done()
      return
    }
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown')
    const span: Span = {
      name: `${request.method} ${route}`,
      kind: 'server',
      attributes: { 'http.request.method': request.method, 'http.route': route },
      traceparent: readHeader(request.headers, 'traceparent'),
    }
    spans.set(request, span)
    raw.once('close', () => {
      const status = raw.headersSent ? raw.statusCode : CLIENT_GONE
      span.attributes['http.response.status_code'] = status
      span.attributes['kopeck.account_id'] = (
        request.account as FastifyRequest['account'] | undefined
      )?.id
      if (status >= 500) span.error = String(status)
      endSpan(span)
    })
    enterSpan(span, done)
  })
  // A body comes by events of its connection, which know nothing of the request's span.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else enterSpan(span, done)
  })
}
