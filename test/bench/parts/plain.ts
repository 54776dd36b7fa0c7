import { findGateways } from '../contenders/gateways/find-gateways.ts'
import type { Gateway } from '../contenders/gateways/gateway.ts'
import { inTurn } from '../in-turn.ts'
import { measureCpu } from '../measuring/cpu.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import type { BenchContext } from '../part.ts'
import { type Row, type Runs, type Table, toRow } from '../report/table.ts'
import type { AnswerShape } from '../surroundings/answer-shape.ts'
import type { Load } from '../surroundings/load.ts'
import { openGatewayStage } from './stages/gateway-stage.ts'

const AT_ONCE = 64
/** Compilers work beside the first thousands of requests, for which a slow machine takes its time. */
const WARM_UP_SECONDS = 10
const SECONDS = 3
const LENGTHS = [20, 200] as const
const [SHORT, LONG] = LENGTHS.map(
  (deltas): AnswerShape => ({ firstDeltaAfterMs: 0, deltas, intervalMs: 0 }),
) as [AnswerShape, AnswerShape]

/** Figures of 1,000 requests, the CPU in seconds. */
interface Figures {
  requestsPerSecond: number
  processCpu: number
  databaseCpu: number | undefined
  allCpu: number
}

interface Run {
  short: Figures
  long: Figures
  /** The figures of a model that has no plain answers. */
  streamed: Figures | undefined
  /** The figures on two cores: PostgreSQL is on that of the load. */
  shortOnTwo: Figures | undefined
  longOnTwo: Figures | undefined
  peakRssMiB: number
}

/** Whole answers, many at once: what authentication, limits and billing cost. */
export async function plain(context: BenchContext): Promise<Table[]> {
  const { gateways, missing } = findGateways(context)
  const runs = await inTurn(gateways, context, (gateway) => measure(gateway, context))
  const columns = gateways.map(({ name }) => name)
  const head = (deltas: number) => ({
    title: `Plain answers of ${deltas} tokens, ${AT_ONCE} at once`,
    says: `A closed loop asks for whole answers of a model that thinks for no time, ${SECONDS} s of each after ${WARM_UP_SECONDS} s to warm up; each of our requests is authenticated, counted towards 30 a minute, held for and settled. The load and the model share a core, which is what bounds nginx and bare.`,
    columns,
    missing,
  })
  const memory = { name: 'peak resident memory', unit: 'MiB' }
  return [
    {
      ...head(SHORT.deltas),
      rows: [
        ...toRows(runs, { pick: (run) => run.short, pickOnTwo: (run) => run.shortOnTwo }, GOALS),
        toRow(runs, { ...memory, pick: (run) => run.peakRssMiB }),
      ],
    },
    {
      ...head(LONG.deltas),
      rows: [
        ...toRows(runs, { pick: (run) => run.long, pickOnTwo: (run) => run.longOnTwo }),
        toRow(runs, {
          name: 'put together from a stream: all on one core',
          unit: 'requests/s',
          pick: (run) => run.streamed?.requestsPerSecond,
        }),
        toRow(runs, {
          name: 'put together from a stream: 1,000 requests, both',
          unit: 'CPU s',
          digits: 2,
          pick: (run) => run.streamed?.allCpu,
        }),
      ],
    },
  ]
}

async function measure(gateway: Gateway, context: BenchContext): Promise<Run> {
  const { database, cores } = context
  const stage = await openGatewayStage(gateway, context)
  try {
    await stage.askOn(SHORT, { atOnce: AT_ONCE, seconds: WARM_UP_SECONDS })
    const books = gateway.usesDatabase ? database : undefined
    const measureOne = (shape: AnswerShape, load: Load = stage) =>
      measureLoad(load, shape, { pid: stage.gateway.pid, database: books })
    const [short, long] = [await measureOne(SHORT), await measureOne(LONG)]
    let streamed: Figures | undefined
    if (stage.streamed !== undefined) {
      await stage.streamed.askOn(LONG, { atOnce: AT_ONCE, seconds: 1 })
      streamed = await measureOne(LONG, stage.streamed)
    }
    let onTwo: Figures[] = []
    if (books !== undefined && cores.around !== undefined) {
      await database.moveTo(cores.around)
      onTwo = [await measureOne(SHORT), await measureOne(LONG)]
    }
    const { peakRssBytes } = await readProcessFigures(stage.gateway.pid)
    const [shortOnTwo, longOnTwo] = onTwo
    return { short, long, streamed, shortOnTwo, longOnTwo, peakRssMiB: peakRssBytes / 2 ** 20 }
  } finally {
    await database.moveTo(cores.measured)
    await stage.close()
  }
}

async function measureLoad(
  load: Load,
  shape: AnswerShape,
  measured: Parameters<typeof measureCpu>[0],
): Promise<Figures> {
  const { result, cpu } = await measureCpu(measured, () =>
    load.askOn(shape, { atOnce: AT_ONCE, seconds: SECONDS }),
  )
  const { requests, seconds } = result
  return {
    requestsPerSecond: requests / seconds,
    processCpu: cpu.processMs / requests,
    databaseCpu: cpu.databaseMs && cpu.databaseMs / requests,
    allCpu: cpu.allMs / requests,
  }
}

/** The goals of the rows, in the order of the rows below. */
const GOALS: Record<keyof Figures | 'onTwo', Row['goals']> = {
  requestsPerSecond: [
    { is: 'at least', value: 2, times: 'Portkey' },
    { is: 'at least', value: 0.8, times: 'llms' },
  ],
  onTwo: [{ is: 'at least', value: 1, times: 'llms' }],
  processCpu: [],
  databaseCpu: [],
  allCpu: [{ is: 'at most', value: 0.3 }],
}

function toRows(
  runs: Runs<Run>,
  {
    pick,
    pickOnTwo,
  }: { pick: (run: Run) => Figures; pickOnTwo: (run: Run) => Figures | undefined },
  goals: Partial<typeof GOALS> = {},
): Row[] {
  const cpu = { unit: 'CPU s', digits: 2 }
  return [
    toRow(runs, {
      name: 'all on one core',
      unit: 'requests/s',
      goals: goals.requestsPerSecond ?? [],
      pick: (run) => pick(run).requestsPerSecond,
    }),
    toRow(runs, {
      name: 'PostgreSQL on the other core',
      unit: 'requests/s',
      goals: goals.onTwo ?? [],
      // Who has no PostgreSQL is as fast as before.
      pick: (run) => (pickOnTwo(run) ?? pick(run)).requestsPerSecond,
    }),
    toRow(runs, {
      name: '1,000 requests: the process',
      ...cpu,
      pick: (run) => pick(run).processCpu,
    }),
    toRow(runs, {
      name: '1,000 requests: PostgreSQL',
      ...cpu,
      goals: goals.databaseCpu ?? [],
      pick: (run) => pick(run).databaseCpu,
    }),
    toRow(runs, {
      name: '1,000 requests: both',
      ...cpu,
      goals: goals.allCpu ?? [],
      pick: (run) => pick(run).allCpu,
    }),
  ]
}
