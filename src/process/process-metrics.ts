import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BuildInfo } from '../platform/installation.ts'

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

// From a free connection to where a statement that waits for a lock fails.
const CONNECTION_WAIT_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

/** The counters of the process. */
export type ProcessMetrics = ReturnType<typeof createProcessMetrics>

/** Counts what belongs to no role. Every method but `text()` is cheap and never throws. */
export function createProcessMetrics({ version, commit }: BuildInfo) {
  const registry = new Registry()
  const registers = [registry]
  const build = new Gauge({
    name: 'kopeck_build_info',
    help: 'Always 1: its labels say which Kopeck this process is.',
    labelNames: ['version', 'commit'],
    registers,
  })
  build.set({ version, commit }, 1)
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
    connectionWaited(waitedMs: number): void {
      connectionWaits.observe(waitedMs / 1000)
    },
    requestUnrouted(answered: { method: string; status: number }): void {
      unrouted.inc(answered)
    },
    contentType: registry.contentType,
    text: (): Promise<string> => registry.metrics(),
  }
}

/**
 * Serves `GET /metrics`: the process, its state, then its parts. It asks for no key, so a proxy in front should not pass
 * it on.
 */
export function serveMetrics(
  http: FastifyInstance,
  {
    process,
    isReady,
    isDatabaseReady,
    parts,
  }: {
    process: Pick<ProcessMetrics, 'text' | 'contentType'>
    isReady: () => boolean
    isDatabaseReady: () => boolean
    /** Each writes its metrics in the text that Prometheus reads. */
    parts: readonly (() => Promise<string>)[]
  },
): void {
  const registry = new Registry()
  const addState = (name: string, help: string, read: () => boolean) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read() ? 1 : 0)
      },
    })
  addState(
    'kopeck_ready',
    '1 if the process can do its work just now, as /healthz says, otherwise 0',
    isReady,
  )
  addState(
    'kopeck_database_ready',
    '1 if the database answers, takes connections and writes, and one is free in time, otherwise 0',
    isDatabaseReady,
  )
  http.get('/metrics', async (_request, reply) => {
    const reads = [process.text, () => registry.metrics(), ...parts]
    const texts = await Promise.all(reads.map((read) => read()))
    return reply.type(process.contentType).send(texts.join('\n'))
  })
}
