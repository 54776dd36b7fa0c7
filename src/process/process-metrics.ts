import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'

/** Writes down what a part of the process counts, in the text that Prometheus reads. */
export type ReadMetrics = () => Promise<string>

/**
 * `GET /metrics`: memory, processor time and event loop of this process, then what its parts count.
 * It asks for no key: anybody who reaches the port may read it, so a proxy in front should not pass it on.
 */
export function serveMetrics(http: FastifyInstance, parts: readonly ReadMetrics[]): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  http.get('/metrics', async (_request, reply) => {
    const texts = await Promise.all([registry.metrics(), ...parts.map((read) => read())])
    return reply.type(registry.contentType).send(texts.join('\n'))
  })
}
