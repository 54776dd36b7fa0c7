import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { POLL_MS } from '../../../src/bot/media/task/poll-pace.ts'
import { findPollers, type Poller } from '../contenders/pollers/find-pollers.ts'
import { inTurn } from '../in-turn.ts'
import { type CpuTaken, measureCpu } from '../measuring/cpu.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import { plainNode, startProgram } from '../measuring/program.ts'
import type { BenchContext } from '../part.ts'
import { type Row, type Runs, type Table, toRow } from '../report/table.ts'
import { type PollFigures, PUNCTUAL_MS } from '../surroundings/poll-figures.ts'

const POLL_SERVICE = plainNode(join(import.meta.dirname, '../surroundings/poll-service.ts'))

const ORDERS = 10_000
/** Orders that have ended, beside those that are being made. */
const ENDED_ORDERS = 200_000
const WARM_UP_MS = 7_000
const MEASURED_MS = 9_000

interface Run extends PollFigures {
  cpu: CpuTaken
  peakRssMiB: number
  startMs: number
  /** Rows of orders that were read by going through the whole table. */
  scanned: number | undefined
}

/** All running orders of one process, beside the least that polls as many tasks. */
export async function orders(context: BenchContext): Promise<Table[]> {
  const pollers = findPollers(context, { orders: ORDERS, endedOrders: ENDED_ORDERS })
  const runs = await inTurn(pollers, context, (poller) => measure(poller, context))
  return [
    {
      title: `${ORDERS.toLocaleString('en')} running orders`,
      says: `Each due ${POLL_MS / 1_000} s after the answer of its last poll, beside ${ENDED_ORDERS.toLocaleString('en')} ended ones; ${MEASURED_MS / 1_000} s after ${WARM_UP_MS / 1_000} s to warm up. The bare poller asks with undici and notes nothing. No two polls of ours for one task came closer than ${POLL_MS / 1_000} s.`,
      columns: pollers.map(({ name }) => name),
      rows: toRows(runs),
    },
  ]
}

async function measure(poller: Poller, { database, cores, signal }: BenchContext): Promise<Run> {
  const service = await startProgram({ program: POLL_SERVICE, core: cores.around, signal })
  const ends: (() => Promise<unknown>)[] = [service.stop]
  try {
    const { start, readScanned, close } = await poller.prepare(`${service.address}/api/v1`)
    ends.push(close)
    const startedAt = performance.now()
    const program = await start()
    const startMs = performance.now() - startedAt
    ends.push(program.stop)
    const wait = (ms: number) =>
      Promise.race([delay(ms, undefined, { signal }), program.failed, service.failed])
    await wait(WARM_UP_MS)
    await fetch(`${service.address}/begin`, { method: 'POST' })
    const { cpu } = await measureCpu(
      { pid: program.pid, database: poller.usesDatabase ? database : undefined },
      () => wait(MEASURED_MS),
    )
    const { peakRssBytes } = await readProcessFigures(program.pid)
    const figures = (await (await fetch(`${service.address}/figures`)).json()) as PollFigures
    if (figures.tasks !== ORDERS) throw new Error(`Only ${figures.tasks} tasks were polled`)
    if (poller.usesDatabase && figures.closestMs < POLL_MS) {
      throw new Error(`Polls of one task came ${figures.closestMs} ms apart`)
    }
    const scanned = await readScanned()
    return { ...figures, cpu, peakRssMiB: peakRssBytes / 2 ** 20, startMs, scanned }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

function toRows(runs: Runs<Run>): Row[] {
  const perPoll = (cpuMs: number, { polls }: Run) => cpuMs / polls
  const cpu = { unit: 'CPU ms', digits: 3 }
  return [
    toRow(runs, {
      name: `polls within ${PUNCTUAL_MS / 1_000} s of due`,
      unit: '%',
      digits: 2,
      goals: [{ is: 'at least', value: 99 }],
      pick: ({ punctual, polls }) => (punctual / polls) * 100,
    }),
    toRow(runs, {
      name: '1 poll: the process',
      ...cpu,
      pick: (run) => perPoll(run.cpu.processMs, run),
    }),
    toRow(runs, {
      name: '1 poll: PostgreSQL',
      ...cpu,
      pick: (run) => run.cpu.databaseMs && perPoll(run.cpu.databaseMs, run),
    }),
    toRow(runs, {
      name: '1 poll: both',
      ...cpu,
      goals: [{ is: 'at most', value: 0.2 }],
      pick: (run) => perPoll(run.cpu.allMs, run),
    }),
    toRow(runs, {
      name: 'polls',
      unit: 'a second',
      pick: ({ polls }) => polls / (MEASURED_MS / 1_000),
    }),
    toRow(runs, {
      name: 'peak resident memory',
      unit: 'MiB',
      goals: [{ is: 'at most', value: 250 }],
      pick: (run) => run.peakRssMiB,
    }),
    toRow(runs, { name: 'start with all of them due', unit: 'ms', pick: (run) => run.startMs }),
    toRow(runs, {
      name: 'rows of orders read by going through the table',
      unit: '',
      pick: (run) => run.scanned,
    }),
  ]
}
