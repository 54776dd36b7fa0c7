import { type Comparison, toComparisonTable } from './comparison.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { type Latencies, measureLatency } from './reply-latency.ts'
import { LOAD_ANSWER, type LoadFigures, measureLoad, REPLIES } from './reply-load.ts'
import { CONTENDERS, type ContenderName } from './reply-stage.ts'

const ROUNDS = 2
const NAMES = Object.keys(CONTENDERS) as ContenderName[]

type Runs<T> = Record<ContenderName, T[]>

/** Our bot against the plainest one: same Telegram, same service, same machine, turn by turn. */
export const replyBench: BenchPart = {
  title: 'reply: our bot against a bare grammY bot',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const latencies: Runs<Latencies> = { bare: [], kopeck: [] }
  const loads: Runs<LoadFigures> = { bare: [], kopeck: [] }
  // A B A B: what changes on the machine meanwhile meets both.
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const name of NAMES) {
      context.progress(`reply: round ${round} of ${ROUNDS}, ${name}, one user at a time`)
      latencies[name].push(await measureLatency(name, context))
    }
    for (const name of NAMES) {
      context.progress(`reply: round ${round} of ${ROUNDS}, ${name}, ${REPLIES} replies at once`)
      loads[name].push(await measureLoad(name, context))
    }
  }
  const table = toComparisonTable(toRows(latencies, loads), { baseline: 'bare', ours: 'Kopeck' })
  return `${table}\n\n${toNotes(loads)}`
}

function toRows(latencies: Runs<Latencies>, loads: Runs<LoadFigures>): Comparison[] {
  const latency = (pick: (run: Latencies) => number[]) => ({
    baseline: latencies.bare.flatMap(pick),
    ours: latencies.kopeck.flatMap(pick),
  })
  const load = (pick: (run: LoadFigures) => number | number[]) => ({
    baseline: loads.bare.flatMap(pick),
    ours: loads.kopeck.flatMap(pick),
  })
  return [
    {
      name: 'update at Telegram → whole request at the service',
      unit: 'ms',
      digits: 1,
      ...latency(({ toService }) => toService),
    },
    {
      name: 'first delta written → first text at Telegram',
      unit: 'ms',
      digits: 1,
      ...latency(({ toChat }) => toChat),
    },
    {
      name: 'last delta written → whole reply in the chat, short reply',
      unit: 'ms',
      digits: 1,
      ...latency(({ toWhole }) => toWhole),
    },
    {
      name: 'last delta written → whole reply in the chat, under load',
      unit: 'ms',
      ...load(({ lastDeltaToWholeMs }) => lastDeltaToWholeMs),
    },
    {
      name: 'CPU a reply, under load',
      unit: 'ms',
      digits: 1,
      ...load(({ cpuMsPerReply }) => cpuMsPerReply),
    },
    {
      name: 'CPU a reply with that of PostgreSQL, under load',
      unit: 'ms',
      digits: 1,
      ...load(({ cpuMsPerReply, databaseCpuMsPerReply }) => cpuMsPerReply + databaseCpuMsPerReply),
    },
    {
      name: 'Bot API calls a reply, under load',
      unit: 'calls',
      digits: 1,
      ...load(({ callsPerReply }) => callsPerReply),
    },
    { name: 'peak resident memory', unit: 'MiB', ...load(({ peakRssMiB }) => peakRssMiB) },
  ]
}

function toNotes(loads: Runs<LoadFigures>): string {
  const floods = (name: ContenderName) => loads[name].reduce((total, run) => total + run.floods, 0)
  const seconds = ((LOAD_ANSWER.deltas * LOAD_ANSWER.intervalMs) / 1000).toFixed(1)
  return [
    `${ROUNDS} rounds, the contenders in turn, each in a fresh process with an empty database.`,
    'Latencies: one user at a time, a history of 10 messages, no limits at Telegram.',
    `Load: ${REPLIES} replies at once of ${LOAD_ANSWER.deltas} deltas over ${seconds} s, with limits;`,
    `calls refused as too fast: bare ${floods('bare')}, Kopeck ${floods('kopeck')}.`,
    'CPU and memory are those of the bot process where nothing else is said; the bare bot has no database.',
    'Every reply of every run stood whole in its chat, once.',
  ].join('\n')
}
