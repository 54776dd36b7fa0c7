import { type Comparison, toComparisonTable } from './comparison.ts'
import type { AnswerShape } from './local-service.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { readProcessFigures } from './process-figures.ts'
import {
  askManyPlain,
  GATEWAYS,
  type GatewayName,
  openServiceStage,
  PLAIN_CONCURRENCY,
} from './service-setup.ts'

const ROUNDS = 2
const WARM_UP_REQUESTS = 4000
const REQUESTS = 6000
const ANSWER: AnswerShape = { firstDeltaAfterMs: 5, deltas: 20, intervalMs: 0 }

interface PlainFigures {
  cpuMsPer1000: number
  databaseCpuMsPer1000: number
  requestsPerSecond: number
  peakRssMiB: number
  /** How much the peak rose in the second half. */
  growthMiB: number
}

/** Whole answers at a concurrency of 64: what authentication, limits and billing cost. */
export const plainBench: BenchPart = {
  title: 'plain: whole answers through our service against a bare gateway',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const figures: Record<GatewayName, PlainFigures[]> = { bare: [], kopeck: [] }
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const name of GATEWAYS) {
      context.progress(`plain: round ${round} of ${ROUNDS}, ${name}`)
      figures[name].push(await measure(name, context))
    }
  }
  const table = toComparisonTable(toRows(figures), { baseline: 'bare', ours: 'Kopeck' })
  return `${table}\n\n${NOTES}`
}

async function measure(name: GatewayName, context: BenchContext): Promise<PlainFigures> {
  const setup = await openServiceStage(name, context, { requests: WARM_UP_REQUESTS + REQUESTS })
  try {
    await askManyPlain(setup, { count: WARM_UP_REQUESTS, shape: ANSWER })
    const { pid } = setup.gateway
    const before = await readProcessFigures(pid)
    const databaseBefore = await context.database.readCpuMs()
    const startedAt = performance.now()
    await askManyPlain(setup, { count: REQUESTS / 2, shape: ANSWER })
    const middle = await readProcessFigures(pid)
    await askManyPlain(setup, { count: REQUESTS / 2, shape: ANSWER })
    const seconds = (performance.now() - startedAt) / 1000
    const after = await readProcessFigures(pid)
    const databaseAfter = await context.database.readCpuMs()
    return {
      cpuMsPer1000: ((after.cpuMs - before.cpuMs) * 1000) / REQUESTS,
      databaseCpuMsPer1000: ((databaseAfter - databaseBefore) * 1000) / REQUESTS,
      requestsPerSecond: REQUESTS / seconds,
      peakRssMiB: after.peakRssBytes / 2 ** 20,
      growthMiB: (after.peakRssBytes - middle.peakRssBytes) / 2 ** 20,
    }
  } finally {
    await setup.close()
  }
}

function toRows(figures: Record<GatewayName, PlainFigures[]>): Comparison[] {
  const row = (name: string, unit: string, pick: (run: PlainFigures) => number): Comparison => ({
    name,
    unit,
    baseline: figures.bare.map(pick),
    ours: figures.kopeck.map(pick),
  })
  return [
    row('CPU of the gateway for 1,000 requests', 'ms', (run) => run.cpuMsPer1000),
    row('CPU of PostgreSQL for 1,000 requests', 'ms', (run) => run.databaseCpuMsPer1000),
    row('throughput on the shared machine', 'requests/s', (run) => run.requestsPerSecond),
    row('peak resident memory', 'MiB', (run) => run.peakRssMiB),
    row('of which came in the second half', 'MiB', (run) => run.growthMiB),
  ]
}

const NOTES = [
  `${ROUNDS} rounds, in turn, each in a fresh process; ${REQUESTS} requests after ${WARM_UP_REQUESTS}`,
  `to warm up, ${PLAIN_CONCURRENCY} at once; an answer has ${ANSWER.deltas} tokens. Our service asks the model for a`,
  'stream, the bare gateway hands a whole answer on; each of our requests is authenticated, counted',
  'towards 30 a minute, held for and settled. Every answer was whole.',
].join('\n')
