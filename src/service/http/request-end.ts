import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestEnd } from '../metrics.ts'
import { CLIENT_GONE } from './client-gone.ts'

/** Logs one line for each request that ends, also for one whose client left, and tells `onEnd`. */
export function watchRequestEnds(app: FastifyInstance, onEnd: (end: RequestEnd) => void): void {
  app.addHook('onRequest', async (request, reply) => {
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
      request.log.info({ ...end, accountId, ...(isCut && { isCut }) }, 'request ended')
      onEnd(end)
    })
  })
}
