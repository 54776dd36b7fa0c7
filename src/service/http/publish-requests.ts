import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { publishFlow, type RequestFlow, serviceFlow } from '../../platform/service-flow.ts'
import { CLIENT_GONE } from './client-gone.ts'

const flows = new WeakMap<FastifyRequest, RequestFlow>()

/** Publishes each request when it comes and when it ends. */
export function publishRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    if (serviceFlow.hasSubscribers) begin(request, raw)
    done()
  })
}

/** Publishes which hold or task a request led to. */
export function publishReference(request: FastifyRequest, reference: string): void {
  const flow = flows.get(request)
  if (flow === undefined) return
  flow.reference = reference
  flow.accountId = request.account.id
  publishFlow(() => flow)
}

function begin(request: FastifyRequest, raw: ServerResponse): void {
  const startedMs = performance.now()
  const route = request.is404 ? undefined : request.routeOptions.url
  const flow: RequestFlow = { kind: 'request', method: request.method, route: route ?? 'unknown' }
  flows.set(request, flow)
  publishFlow(() => flow)
  raw.once('close', () => {
    flow.accountId = (request.account as FastifyRequest['account'] | undefined)?.id
    flow.status = raw.headersSent ? raw.statusCode : CLIENT_GONE
    flow.durationMs = Math.round(performance.now() - startedMs)
    publishFlow(() => flow)
  })
}
