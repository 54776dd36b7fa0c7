import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  Bench,
  type Figures,
  type Part,
  type Pinning,
  percentile,
  startServer,
  type Target,
} from './bench.ts'
import { findPeers } from './gateways.ts'
import { history } from './history.ts'
import { manyUsers, refusedCalls } from './many-users.ts'
import { orders } from './orders.ts'
import { plain } from './plain.ts'
import { start } from './start.ts'
import { statements } from './statements.ts'
import { stream } from './stream.ts'
import { twoProcesses } from './two-processes.ts'

const PARTS: Record<string, Part> = {
  plain,
  stream,
  'many-users': manyUsers,
  'refused-calls': refusedCalls,
  history,
  statements,
  'two-processes': twoProcesses,
  orders,
  start,
}
const ROUNDS = 5
const FIGURE_CHARS = 46
const HELP = `npm run bench -- [PART …] [options]

Measures Kopeck, and prints medians with the least and the greatest value. The targets are measured in turn, in short
slices of one run.

Parts, all of them by default: ${Object.keys(PARTS).join(', ')}

  --rounds N        number of slices of each target, best odd (default ${ROUNDS})
  --before FOLDER   another checkout of Kopeck to compare with, installed
  --peers FOLDER    folder with other gateways, for plain and stream
  --pin CORES       the measured programs on one core, the load on another one (Linux, two cores), and PostgreSQL on
                    the same core as the programs ("same") or as the load ("apart")

To install the gateways (a later @hono/node-server breaks the streams of Portkey, see
https://github.com/Portkey-AI/gateway/issues/1389), in an empty folder:
  echo '{"overrides":{"@hono/node-server":"1.14.1"}}' > package.json
  npm install --ignore-scripts @portkey-ai/gateway @musistudio/llms
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    rounds: { type: 'string', default: `${ROUNDS}` },
    before: { type: 'string' },
    peers: { type: 'string' },
    pin: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const names = positionals.length > 0 ? positionals : Object.keys(PARTS)
const PINNINGS: Record<string, Pinning> = { same: 'same', apart: 'apart' }
const pinning = PINNINGS[values.pin ?? '']
const isPinKnown = values.pin === undefined || pinning !== undefined
if (values.help || !isPinKnown || !names.every((name) => name in PARTS) || !(rounds >= 1)) {
  process.stderr.write(HELP)
  process.exit(2)
}

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupted.abort(new Error(`Interrupted by ${signal}`)))
}
const { before, peers } = values
const checkouts: Target[] = [
  ...(before === undefined ? [] : [{ name: 'before', root: resolve(before) } as const]),
  { name: 'Kopeck', root: join(import.meta.dirname, '../..') },
]
const others = peers === undefined ? [] : findPeers(resolve(peers))

for (const name of names) {
  const part = PARTS[name]
  if (part === undefined || interrupted.signal.aborted) continue
  try {
    const targets = part.hasPeers ? [...checkouts, ...others] : checkouts
    const samples = await measurePart(name, part, targets)
    const columns = targets.map((target) => target.name)
    process.stdout.write(`\n## ${name}\n\n${part.about}\n\n${toTable(samples, columns)}\n`)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`\n${name} failed: ${error instanceof Error ? error.stack : error}\n`)
  }
}

/** Values of each figure, by figure and target. */
type Samples = Record<string, { [name in Target['name']]?: number[] }>

async function measurePart(name: string, part: Part, targets: readonly Target[]) {
  const bench = new Bench(await startServer(pinning), interrupted.signal, pinning)
  try {
    return await Promise.race([measureAll(), bench.failure.promise])
  } finally {
    await bench.close()
  }

  async function measureAll(): Promise<Samples> {
    const contenders: { name: Target['name']; measure: () => Promise<Figures> }[] = []
    for (const target of targets) {
      process.stderr.write(`${name}: ${target.name} starts\n`)
      contenders.push({ name: target.name, measure: await part.open(bench, target) })
    }
    const samples: Samples = {}
    for (let round = 1; round <= rounds; round += 1) {
      for (const { name: target, measure } of contenders) {
        process.stderr.write(`${name}: ${target}, slice ${round} of ${rounds}\n`)
        for (const [figure, value] of Object.entries(await measure())) {
          samples[figure] ??= {}
          samples[figure][target] = [...(samples[figure][target] ?? []), value]
        }
      }
      // The order alternates: a slow drift of the machine then affects all alike.
      contenders.reverse()
    }
    return samples
  }
}

function toTable(samples: Samples, columns: Target['name'][]): string {
  const ratio = columns.includes('before') ? ['Kopeck ÷ before'] : []
  const lines = Object.entries(samples).map(([figure, of]) => {
    const cells = columns.map((name) => {
      const values = of[name]
      if (values === undefined) return '–'
      const [least, most] = [Math.min(...values), Math.max(...values)].map(format)
      return `${format(percentile(values, 0.5))} (${least}–${most})`
    })
    const { Kopeck = [], before = [] } = of
    const times = ratio.map(() => (percentile(Kopeck, 0.5) / percentile(before, 0.5)).toFixed(3))
    return [figure, ...cells, ...times]
  })
  return [['', ...columns, ...ratio], ...lines]
    .map(([figure = '', ...cells]) => [
      figure.padEnd(FIGURE_CHARS),
      ...cells.map((cell) => cell.padEnd(24)),
    ])
    .map((line) => line.join('').trimEnd())
    .join('\n')
}

function format(value: number): string {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}
