import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { BuildInfo } from '../platform/build-info.ts'

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
 * `GET /metrics`: which Kopeck this process is, its memory, processor time and event loop, then what its parts count.
 * It asks for no key: everyone who reaches the port may read it, so a proxy in front should not pass it on.
 */
export function serveMetrics(
  http: FastifyInstance,
  { version, commit }: BuildInfo,
  parts: readonly ReadMetrics[],
): void {
  const registry = new Registry()
  const build = new Gauge({
    name: 'kopeck_build_info',
    help: 'Always 1: its labels say which Kopeck this process is.',
    labelNames: ['version', 'commit'],
    registers: [registry],
  })
  build.set({ version, commit }, 1)
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  http.get('/metrics', async (_request, reply) => {
    const texts = await Promise.all([registry.metrics(), ...parts.map((read) => read())])
    return reply.type(registry.contentType).send(texts.join('\n'))
  })
}
