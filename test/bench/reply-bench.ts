import { BOTS, type BotName } from './bot-contender.ts'
import { type Comparison, toComparisonTable } from './comparison.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { percentile } from './percentiles.ts'
import { type Latencies, measureLatency } from './reply-latency.ts'
import { type LoadFigures, type LoadOptions, measureLoad } from './reply-users.ts'

const ROUNDS = 2
const NAMES = Object.keys(BOTS) as BotName[]

/** Long enough that every chat is refreshed several times; as many deltas as two cores can serve. */
const LOADS: readonly LoadOptions[] = [
  { replies: 50, writingMs: 10_000, intervalMs: 100 },
  { replies: 200, writingMs: 18_000, intervalMs: 250 },
]

type Runs<T> = Record<BotName, T[]>

/** Our bot against the plainest one: same Telegram, same service, same machine, turn by turn. */
export const replyBench: BenchPart = {
  title: 'reply: our bot against a bare grammY bot that edits once a second',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const latencies: Runs<Latencies> = { bare: [], kopeck: [] }
  // A B A B: what changes on the machine meanwhile meets both.
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const name of NAMES) {
      context.progress(`reply: round ${round} of ${ROUNDS}, ${name}, one user at a time`)
      latencies[name].push(await measureLatency(name, context))
    }
  }
  const parts = [toLatencyPart(latencies)]
  for (const load of LOADS) {
    const runs = {} as Record<BotName, LoadFigures>
    for (const name of NAMES) {
      context.progress(`reply: ${name}, ${load.replies} replies at once`)
      runs[name] = await measureLoad(name, load, context)
    }
    parts.push(toLoadPart(load, runs))
  }
  return parts.join('\n\n')
}

function toLatencyPart(latencies: Runs<Latencies>): string {
  const latency = (pick: (run: Latencies) => number[]) => ({
    unit: 'ms',
    digits: 1,
    baseline: latencies.bare.flatMap(pick),
    ours: latencies.kopeck.flatMap(pick),
  })
  const rows: Comparison[] = [
    {
      name: 'update at Telegram → whole request at the service',
      ...latency(({ toService }) => toService),
    },
    {
      name: 'first delta written → first text at Telegram',
      ...latency(({ toChat }) => toChat),
    },
    {
      name: 'last delta written → whole reply in the chat',
      ...latency(({ toWhole }) => toWhole),
    },
  ]
  return [
    'One user at a time, a history of 10 messages, no limits at Telegram:',
    toComparisonTable(rows, { baseline: 'bare', ours: 'Kopeck' }),
    `${ROUNDS} rounds, the contenders in turn, each in a fresh process with an empty database.`,
  ].join('\n\n')
}

function toLoadPart(load: LoadOptions, runs: Record<BotName, LoadFigures>): string {
  const { replies } = load
  const rows = [
    ['calls refused with 429', ...each(({ floods }) => `${floods}`), '0'],
    ['most calls in any second', ...each(({ mostInASecond }) => `${mostInASecond}`), '30'],
    ['replies that never stood whole', ...each(({ lost }) => `${lost}`), '0'],
    [
      'age of the visible text when it was refreshed, median, s',
      ...each(({ agesMs }) => seconds(agesMs, 0.5)),
      '',
    ],
    [
      'the worst, s',
      ...each(({ agesMs }) => seconds(agesMs, 1)),
      (1.3 * Math.max(1, replies / 30)).toFixed(2),
    ],
    ['first delta → first text, median, s', ...each(({ toChatMs }) => seconds(toChatMs, 0.5)), ''],
    ['the worst, s', ...each(({ toChatMs }) => seconds(toChatMs, 1)), (1 / 30).toFixed(2)],
    ['last delta → whole text, median, s', ...each(({ toWholeMs }) => seconds(toWholeMs, 0.5)), ''],
    [
      'the worst, s',
      ...each(({ toWholeMs }) => seconds(toWholeMs, 1)),
      replies <= 50 ? '1.50' : '',
    ],
    ['Bot API calls a reply', ...each(({ callsPerReply }) => callsPerReply.toFixed(1)), ''],
    [
      'CPU a reply, ms',
      ...each(({ cpuMsPerReply }) => cpuMsPerReply.toFixed(0)),
      (2 * runs.bare.cpuMsPerReply).toFixed(0),
    ],
    ['peak resident memory, MiB', ...each(({ peakRssMiB }) => peakRssMiB.toFixed(0)), ''],
  ]
  const header = [
    ['', 'bare', 'Kopeck', 'goal'],
    ['---', '---:', '---:', '---:'],
  ]
  const shape = `${load.writingMs / 1000} to ${(load.writingMs * 1.5) / 1000} s`
  return [
    `${replies} replies at once of ${shape}, a delta every ${load.intervalMs} ms, Telegram with its limits in a process of its own:`,
    [...header, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
  ].join('\n\n')

  function each(show: (figures: LoadFigures) => string): string[] {
    return NAMES.map((name) => show(runs[name]))
  }
}

function seconds(samplesMs: readonly number[], share: number): string {
  return samplesMs.length === 0 ? '–' : (percentile(samplesMs, share) / 1000).toFixed(2)
}
