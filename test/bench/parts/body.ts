import { findGateways } from '../contenders/gateways/find-gateways.ts'
import type { Gateway } from '../contenders/gateways/gateway.ts'
import { inTurn } from '../in-turn.ts'
import { type CpuTaken, measureCpu } from '../measuring/cpu.ts'
import { percentile } from '../measuring/percentiles.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import type { BenchContext } from '../part.ts'
import { type Table, toRow } from '../report/table.ts'
import type { AnswerShape } from '../surroundings/answer-shape.ts'
import { openGatewayStage } from './stages/gateway-stage.ts'

const WARM_UP_REQUESTS = 15
const REQUESTS = 30
const ANSWER: AnswerShape = { firstDeltaAfterMs: 0, deltas: 1, intervalMs: 0 }

const SENTENCE = 'За копейку покупали баранку, and a kopeck saved is a rouble earned: 100 = 1. '
/** 2.5 MB as JSON, and with that most of a context of a million tokens. */
const HISTORY = Array.from({ length: 2_000 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: SENTENCE.repeat(12),
}))

interface Run {
  firstBytesMs: number
  cpu: CpuTaken
  peakRssMiB: number
}

/** Long histories, one at a time: what it costs to count a body before it is parsed, and to check it. */
export async function body(context: BenchContext): Promise<Table[]> {
  const { gateways, missing } = findGateways(context)
  const runs = await inTurn(gateways, context, (gateway) => measure(gateway, context))
  return [
    {
      title: 'Histories of 2.5 MB',
      says: `${REQUESTS} requests after ${WARM_UP_REQUESTS} to warm up, one at a time. nginx and the bare gateway parse nothing that they hand on; ours counts, parses, checks and prices each body.`,
      columns: gateways.map(({ name }) => name),
      missing,
      rows: [
        toRow(runs, {
          name: 'request → first bytes of the answer, p50',
          unit: 'ms',
          digits: 1,
          pick: (run) => run.firstBytesMs,
        }),
        toRow(runs, {
          name: '1 request: the process and PostgreSQL',
          unit: 'CPU ms',
          digits: 1,
          pick: ({ cpu }) => cpu.allMs / REQUESTS,
        }),
        toRow(runs, {
          name: 'peak resident memory',
          unit: 'MiB',
          pick: (run) => run.peakRssMiB,
        }),
      ],
    },
  ]
}

async function measure(gateway: Gateway, context: BenchContext): Promise<Run> {
  const stage = await openGatewayStage(gateway, context)
  try {
    const { pid } = stage.gateway
    const ask = () => stage.ask(ANSWER, { stream: true, history: HISTORY })
    for (let index = 0; index < WARM_UP_REQUESTS; index += 1) await ask()
    const firstBytesMs: number[] = []
    const database = gateway.usesDatabase ? context.database : undefined
    const { cpu } = await measureCpu({ pid, database }, async () => {
      for (let index = 0; index < REQUESTS; index += 1) firstBytesMs.push(await ask())
    })
    const { peakRssBytes } = await readProcessFigures(pid)
    return { firstBytesMs: percentile(firstBytesMs, 0.5), cpu, peakRssMiB: peakRssBytes / 2 ** 20 }
  } finally {
    await stage.close()
  }
}
