import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestEnd } from '../metrics.ts'
import { CLIENT_GONE } from './client-gone.ts'

declare module 'fastify' {
  interface FastifyRequest {
    answeredBy: { model: string; upstream: string } | undefined
  }
}

/** Logs one line for each request that ends, also for one whose client left, and calls `onEnd`. */
export function watchRequestEnds(app: FastifyInstance, onEnd: (end: RequestEnd) => void): void {
  app.decorateRequest('answeredBy', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const startedMs = performance.now()
    // Fastify's `onResponse` knows nothing of clients that leave.
    reply.raw.once('close', () => {
      const route = request.is404 ? undefined : request.routeOptions.url
      const end = {
        method: request.method,
        route: route ?? 'unknown',
        status: reply.raw.headersSent ? reply.raw.statusCode : CLIENT_GONE,
        durationMs: Math.round(performance.now() - startedMs),
      }
      const accountId = (request.account as FastifyRequest['account'] | undefined)?.id
      const isCut = reply.raw.headersSent && !reply.raw.writableFinished
      const line = { ...end, accountId, ...request.answeredBy, ...(isCut && { isCut }) }
      request.log.info(line, 'request ended')
      onEnd(end)
    })
    done()
  })
}
