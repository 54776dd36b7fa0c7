import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BuildInfo } from '../platform/installation.ts'

/** Gauges that Prometheus's lint refuses: `_total` is for counters. Each is the sum of a metric that stays. */
const MISNAMED = ['handles', 'requests', 'resources'].map((part) => `nodejs_active_${part}_total`)

// From a free connection to where a statement that waits for a lock fails.
const CONNECTION_WAIT_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>

export function createProcessMetrics({ version, commit }: BuildInfo) {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'kopeck_build_info',
    help: 'Always 1: its labels say which Kopeck this process is.',
    labelNames: ['version', 'commit'],
    registers,
  }).set({ version, commit }, 1)
  const connectionWaits = new Histogram({
    name: 'kopeck_database_connection_wait_seconds',
    help: 'Waits for a connection of the pool, those for a new one and those in vain included',
    buckets: CONNECTION_WAIT_SECONDS,
    registers,
  })
  const unrouted = new Counter({
    name: 'kopeck_http_unrouted_total',
    help: 'Requests of any role that no route takes: unknown paths, other methods, paths that cannot be read',
    labelNames: ['method', 'status'],
    registers,
  })
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return {
    connectionWaited: (waitedMs: number): void => connectionWaits.observe(waitedMs / 1000),
    requestUnrouted: (answered: { method: string; status: number }): void => unrouted.inc(answered),
    text: (): Promise<string> => registry.metrics(),
    addState,
    serve,
  }

  function addState(name: string, help: string, read: () => boolean): void {
    new Gauge({
      name,
      help: `1 if ${help}, otherwise 0`,
      registers,
      collect() {
        this.set(read() ? 1 : 0)
      },
    })
  }

  /** Serves `GET /metrics` without a key, so a proxy in front should not pass it on. */
  function serve(http: FastifyInstance, parts: readonly (() => Promise<string>)[]): void {
    http.get('/metrics', async (_request, reply) => {
      const texts = await Promise.all([registry.metrics(), ...parts.map((read) => read())])
      return reply.type(registry.contentType).send(texts.join('\n'))
    })
  }
}
