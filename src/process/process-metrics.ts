import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'

/**
 * Gauges that prom-client names as if they only grew, which Prometheus's own lint refuses. Each is the sum of a
 * metric that stays.
 *
 * @see https://prometheus.io/docs/practices/naming/#metric-names
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** Writes down what a part of the process counts, in the text that Prometheus reads. */
export type ReadMetrics = () => Promise<string>

/**
 * `GET /metrics`: memory, processor time and event loop of this process, then what its parts count.
 * It asks for no key: everyone who reaches the port may read it, so a proxy in front should not pass it on.
 */
export function serveMetrics(http: FastifyInstance, parts: readonly ReadMetrics[]): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  http.get('/metrics', async (_request, reply) => {
    const texts = await Promise.all([registry.metrics(), ...parts.map((read) => read())])
    return reply.type(registry.contentType).send(texts.join('\n'))
  })
}
