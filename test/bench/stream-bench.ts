import { setTimeout as delay } from 'node:timers/promises'
import { type Comparison, toComparisonTable } from './comparison.ts'
import type { AnswerShape } from './local-service.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { readProcessFigures } from './process-figures.ts'
import { GATEWAYS, type GatewayName, openServiceStage, type ServiceStage } from './service-setup.ts'

const ROUNDS = 2
const STREAMS = 200
const IDLE_STREAMS = 1000
const LATENCY_REQUESTS = 200

const SHORT: AnswerShape = { firstDeltaAfterMs: 5, deltas: 3, intervalMs: 5 }
const LONG: AnswerShape = { firstDeltaAfterMs: 200, deltas: 200, intervalMs: 20 }
/** One delta, and silence. */
const IDLE: AnswerShape = { firstDeltaAfterMs: 5, deltas: 2, intervalMs: 3_600_000 }
const SETTLE_MS = 1000

interface StreamFigures {
  firstBytesMs: number[]
  cpuUsPerDelta: number
  peakRssMiB: number
  idlePeakRssMiB: number
}

/** Streams: what events, keys, limits and money add to bytes that are handed on. */
export const streamBench: BenchPart = {
  title: 'stream: streams through our service against a bare gateway',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const figures: Record<GatewayName, StreamFigures[]> = { bare: [], kopeck: [] }
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const name of GATEWAYS) {
      context.progress(`stream: round ${round} of ${ROUNDS}, ${name}`)
      figures[name].push(await measure(name, context))
    }
  }
  const table = toComparisonTable(toRows(figures), { baseline: 'bare', ours: 'Kopeck' })
  return `${table}\n\n${NOTES}`
}

async function measure(name: GatewayName, context: BenchContext): Promise<StreamFigures> {
  return { ...(await measureLoad(name, context)), ...(await measureIdle(name, context)) }
}

async function measureLoad(name: GatewayName, context: BenchContext) {
  const requests = LATENCY_REQUESTS + 3 * STREAMS
  const setup = await openServiceStage(name, context, { requests })
  try {
    await askAtOnce(setup, SHORT)
    const firstBytesMs: number[] = []
    for (let index = 0; index < LATENCY_REQUESTS; index += 1) {
      firstBytesMs.push((await setup.ask(SHORT, { stream: true })).firstBytesMs)
    }
    // Compilers work beside the first thousands of deltas.
    await askAtOnce(setup, LONG)
    const { pid } = setup.gateway
    const before = await readProcessFigures(pid)
    await askAtOnce(setup, LONG)
    const after = await readProcessFigures(pid)
    return {
      firstBytesMs,
      cpuUsPerDelta: ((after.cpuMs - before.cpuMs) * 1000) / (STREAMS * LONG.deltas),
      peakRssMiB: after.peakRssBytes / 2 ** 20,
    }
  } finally {
    await setup.close()
  }
}

async function askAtOnce(setup: ServiceStage, shape: AnswerShape): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: STREAMS }, () => setup.ask(shape, { stream: true })),
  )
  for (const { body } of answers) {
    const deltas = body.split('kopeck').length - 1
    if (deltas !== shape.deltas || !body.endsWith('data: [DONE]\n\n')) {
      throw new Error(`A stream is not whole: ${deltas} deltas, then ${body.slice(-200)}`)
    }
  }
}

/** In a fresh process: a peak that the load made would hide that of the silence. */
async function measureIdle(name: GatewayName, context: BenchContext) {
  const setup = await openServiceStage(name, context, { requests: IDLE_STREAMS })
  const leave = new AbortController()
  try {
    let open = 0
    const allOpen = Promise.withResolvers<void>()
    const streams = Array.from({ length: IDLE_STREAMS }, () =>
      setup.ask(IDLE, {
        stream: true,
        signal: leave.signal,
        onFirstBytes: () => {
          open += 1
          if (open === IDLE_STREAMS) allOpen.resolve()
        },
      }),
    )
    const ended = Promise.allSettled(streams)
    await Promise.race([allOpen.promise, Promise.all(streams), setup.gateway.failed])
    await delay(SETTLE_MS, undefined, { signal: context.signal })
    const { peakRssBytes } = await readProcessFigures(setup.gateway.pid)
    leave.abort()
    await ended
    return { idlePeakRssMiB: peakRssBytes / 2 ** 20 }
  } finally {
    leave.abort()
    await setup.close()
  }
}

function toRows(figures: Record<GatewayName, StreamFigures[]>): Comparison[] {
  const row = (
    name: string,
    unit: string,
    pick: (run: StreamFigures) => number | number[],
    digits = 0,
  ): Comparison => ({
    name,
    unit,
    digits,
    baseline: figures.bare.flatMap(pick),
    ours: figures.kopeck.flatMap(pick),
  })
  return [
    row('request → first bytes of the body, one at a time', 'ms', (run) => run.firstBytesMs, 1),
    row('CPU of the gateway a delta', 'µs', (run) => run.cpuUsPerDelta, 1),
    row(`peak resident memory, ${STREAMS} streams`, 'MiB', (run) => run.peakRssMiB),
    row(`peak resident memory, ${IDLE_STREAMS} silent streams`, 'MiB', (run) => run.idlePeakRssMiB),
  ]
}

const NOTES = [
  `${ROUNDS} rounds, in turn, each in fresh processes. First bytes: ${LATENCY_REQUESTS} requests a round, the model`,
  `begins after ${SHORT.firstDeltaAfterMs} ms. CPU: ${STREAMS} streams at once of ${LONG.deltas} deltas, one every ${LONG.intervalMs} ms;`,
  'as many warm the process up. What a stream costs besides its deltas is in it: the key, the limit, the',
  'hold and its settlement.',
  'Every stream that was not left was whole.',
].join('\n')
