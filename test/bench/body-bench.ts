import { type Comparison, toComparisonTable } from './comparison.ts'
import type { AnswerShape } from './local-service.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { readProcessFigures } from './process-figures.ts'
import { GATEWAYS, type GatewayName, openServiceStage } from './service-setup.ts'

const ROUNDS = 2
const WARM_UP_REQUESTS = 20
const REQUESTS = 40
const ANSWER: AnswerShape = { firstDeltaAfterMs: 0, deltas: 1, intervalMs: 0 }

const SENTENCE = 'За копейку покупали баранку, and a kopeck saved is a rouble earned: 100 = 1. '
/** 2.5 MB as JSON, and with that most of a context of a million tokens. */
const HISTORY = Array.from({ length: 2_000 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: SENTENCE.repeat(12),
}))

interface BodyFigures {
  firstBytesMs: number[]
  cpuMs: number
  peakRssMiB: number
}

/** Long histories, one at a time: what it costs to count a body before it is parsed, and to check it. */
export const bodyBench: BenchPart = {
  title: 'body: histories of 2.5 MB through our service against a bare gateway',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const figures: Record<GatewayName, BodyFigures[]> = { bare: [], kopeck: [] }
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const name of GATEWAYS) {
      context.progress(`body: round ${round} of ${ROUNDS}, ${name}`)
      figures[name].push(await measure(name, context))
    }
  }
  const table = toComparisonTable(toRows(figures), { baseline: 'bare', ours: 'Kopeck' })
  return `${table}\n\n${NOTES}`
}

async function measure(name: GatewayName, context: BenchContext): Promise<BodyFigures> {
  const setup = await openServiceStage(name, context, { requests: WARM_UP_REQUESTS + REQUESTS })
  try {
    const ask = () => setup.ask(ANSWER, { stream: true, history: HISTORY })
    for (let index = 0; index < WARM_UP_REQUESTS; index += 1) await ask()
    const before = await readProcessFigures(setup.gateway.pid)
    const firstBytesMs: number[] = []
    for (let index = 0; index < REQUESTS; index += 1) firstBytesMs.push((await ask()).firstBytesMs)
    const after = await readProcessFigures(setup.gateway.pid)
    return {
      firstBytesMs,
      cpuMs: (after.cpuMs - before.cpuMs) / REQUESTS,
      peakRssMiB: after.peakRssBytes / 2 ** 20,
    }
  } finally {
    await setup.close()
  }
}

function toRows(figures: Record<GatewayName, BodyFigures[]>): Comparison[] {
  const row = (
    name: string,
    unit: string,
    pick: (run: BodyFigures) => number | number[],
  ): Comparison => ({
    name,
    unit,
    digits: 1,
    baseline: figures.bare.flatMap(pick),
    ours: figures.kopeck.flatMap(pick),
  })
  return [
    row('request → first bytes of the answer', 'ms', (run) => run.firstBytesMs),
    row('CPU of the gateway for a request', 'ms', (run) => run.cpuMs),
    row('peak resident memory', 'MiB', (run) => run.peakRssMiB),
  ]
}

const NOTES = [
  `${ROUNDS} rounds, in turn, each in a fresh process; ${REQUESTS} requests after ${WARM_UP_REQUESTS} to warm up, one at a time.`,
  'The bare gateway parses nothing that it hands on; ours counts, parses, checks and prices each body.',
].join('\n')
