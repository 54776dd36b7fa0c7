import { setTimeout as delay } from 'node:timers/promises'
import { findGateways } from '../contenders/gateways/find-gateways.ts'
import type { Gateway } from '../contenders/gateways/gateway.ts'
import { inTurn } from '../in-turn.ts'
import { type CpuTaken, measureCpu } from '../measuring/cpu.ts'
import { percentile } from '../measuring/percentiles.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import type { BenchContext } from '../part.ts'
import { type Row, type Runs, type Table, toRow } from '../report/table.ts'
import type { AnswerShape } from '../surroundings/answer-shape.ts'
import type { Load } from '../surroundings/load.ts'
import { openGatewayStage } from './stages/gateway-stage.ts'

const STREAMS = 200
/** One stream begins so long after the other where their bytes are measured, as they do in the world. */
const BEGIN_EVERY_MS = 2
/** The same where they begin over one second. */
const OVER_A_SECOND_MS = 1_000 / STREAMS
/** On a slow machine compilers work beside the first thousand streams. */
const WARM_UP_TIMES = 3
const ALONE = 50

const SHORT: AnswerShape = { firstDeltaAfterMs: 100, deltas: 3, intervalMs: 20 }
const ONE: AnswerShape = { firstDeltaAfterMs: 0, deltas: 1, intervalMs: 0 }
const WARM_UP: AnswerShape = { firstDeltaAfterMs: 100, deltas: 40, intervalMs: 40 }
const LONG: AnswerShape = { firstDeltaAfterMs: 100, deltas: 100, intervalMs: 40 }

/** The time that a gateway adds to the first chunk, in milliseconds. */
interface Added {
  p50: number
  p99: number
}

interface Run {
  alone: Added
  atOnce: Added
  atOnceOnTwo: Added | undefined
  overASecond: Added
  cpu: CpuTaken
  peakRssMiB: number
}

/** Streams: what events, keys, limits and money add to bytes that are handed on. */
export async function stream(context: BenchContext): Promise<Table[]> {
  const { gateways, missing } = findGateways(context)
  const runs = await inTurn(gateways, context, (gateway) => measure(gateway, context))
  const columns = gateways.map(({ name }) => name)
  const says = [
    `First chunk: what asking through a gateway adds to asking the model itself, of ${STREAMS} streams that begin in the same instant, of as many that begin over one second, and of ${ALONE} that come one after the other.`,
    `CPU: ${STREAMS} streams of ${LONG.deltas} chunks, one every ${LONG.intervalMs} ms; the key, the limit, the hold and its settlement are in it. Every stream was whole.`,
  ].join(' ')
  return [{ title: `${STREAMS} streams`, says, columns, missing, rows: toRows(runs) }]
}

async function measure(gateway: Gateway, context: BenchContext): Promise<Run> {
  const { database, cores, signal } = context
  const stage = await openGatewayStage(gateway, context)
  const { pid } = stage.gateway
  try {
    for (let time = 0; time < WARM_UP_TIMES; time += 1) {
      await askInRow(stage, WARM_UP, { everyMs: BEGIN_EVERY_MS, signal })
      for (const load of [stage, stage.direct]) await askAtOnce(load, SHORT)
    }
    const askOverASecond = (load: Load) =>
      askInRow(load, SHORT, { everyMs: OVER_A_SECOND_MS, signal })
    const atOnce = await measureAdded((load) => askAtOnce(load, SHORT))
    const overASecond = await measureAdded(askOverASecond)
    const alone = await measureAdded(askOneByOne)
    const books = gateway.usesDatabase ? database : undefined
    const { cpu } = await measureCpu({ pid, database: books }, () =>
      askInRow(stage, LONG, { everyMs: BEGIN_EVERY_MS, signal }),
    )
    const { peakRssBytes } = await readProcessFigures(pid)
    let atOnceOnTwo: Added | undefined
    if (books !== undefined && cores.around !== undefined) {
      await database.moveTo(cores.around)
      atOnceOnTwo = await measureAdded((load) => askAtOnce(load, SHORT))
    }
    return { alone, atOnce, atOnceOnTwo, overASecond, cpu, peakRssMiB: peakRssBytes / 2 ** 20 }
  } finally {
    await database.moveTo(cores.measured)
    await stage.close()
  }

  /** @param ask Gives the milliseconds to the first chunk of each. */
  async function measureAdded(ask: (load: Load) => Promise<number[]>): Promise<Added> {
    const without = await ask(stage.direct)
    const withIt = await ask(stage)
    const added = (share: number) => percentile(withIt, share) - percentile(without, share)
    return { p50: added(0.5), p99: added(0.99) }
  }
}

function askAtOnce(load: Load, shape: AnswerShape): Promise<number[]> {
  return Promise.all(Array.from({ length: STREAMS }, () => load.ask(shape, { stream: true })))
}

async function askOneByOne(load: Load): Promise<number[]> {
  const firstBytesMs: number[] = []
  for (let index = 0; index < ALONE; index += 1) {
    firstBytesMs.push(await load.ask(ONE, { stream: true }))
  }
  return firstBytesMs
}

function askInRow(
  load: Load,
  shape: AnswerShape,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<number[]> {
  return Promise.all(
    Array.from({ length: STREAMS }, async (_, index) => {
      await delay(index * everyMs, undefined, { signal })
      return await load.ask(shape, { stream: true })
    }),
  )
}

function toRows(runs: Runs<Run>): Row[] {
  const ms = { unit: 'ms', digits: 1 }
  const cpu = { unit: 'CPU s', digits: 0 }
  const perMillion = (cpuMs: number) => (cpuMs * 1_000) / (STREAMS * LONG.deltas)
  return [
    toRow(runs, {
      name: 'first chunk of all at once, added, p50',
      ...ms,
      goals: [{ is: 'at most', value: 1.5, times: 'bare' }],
      pick: ({ atOnce }) => atOnce.p50,
    }),
    toRow(runs, {
      name: 'first chunk of all at once, added, p99',
      ...ms,
      goals: [{ is: 'at most', value: 1.5, times: 'bare' }],
      pick: ({ atOnce }) => atOnce.p99,
    }),
    toRow(runs, {
      name: 'with PostgreSQL on the other core, p50',
      ...ms,
      pick: ({ atOnce, atOnceOnTwo }) => (atOnceOnTwo ?? atOnce).p50,
    }),
    toRow(runs, {
      name: 'over one second, added, p50',
      ...ms,
      goals: [{ is: 'at most', value: 2 }],
      pick: ({ overASecond }) => overASecond.p50,
    }),
    toRow(runs, {
      name: 'over one second, added, p99',
      ...ms,
      goals: [{ is: 'at most', value: 15 }],
      pick: ({ overASecond }) => overASecond.p99,
    }),
    toRow(runs, { name: 'one by one, added, p50', ...ms, pick: ({ alone }) => alone.p50 }),
    toRow(runs, {
      name: '1,000,000 chunks: the process',
      ...cpu,
      pick: (run) => perMillion(run.cpu.processMs),
    }),
    toRow(runs, {
      name: '1,000,000 chunks: PostgreSQL',
      ...cpu,
      pick: ({ cpu }) => cpu.databaseMs && perMillion(cpu.databaseMs),
    }),
    toRow(runs, {
      name: '1,000,000 chunks: both',
      ...cpu,
      goals: [{ is: 'at most', value: 1.4, times: 'bare' }],
      pick: (run) => perMillion(run.cpu.allMs),
    }),
    toRow(runs, {
      name: 'peak resident memory',
      unit: 'MiB',
      pick: (run) => run.peakRssMiB,
    }),
  ]
}
