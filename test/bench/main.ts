import { accountBench } from './account-bench.ts'
import { startBenchDatabase } from './bench-database.ts'
import { bodyBench } from './body-bench.ts'
import { deliveryBench } from './delivery-bench.ts'
import { enduranceBench } from './endurance-bench.ts'
import { historyBench } from './history-bench.ts'
import { describeMachine } from './machine.ts'
import type { BenchPart } from './part.ts'
import { plainBench } from './plain-bench.ts'
import { pollBench } from './poll-bench.ts'
import { replyBench } from './reply-bench.ts'
import { spendBench } from './spend-bench.ts'
import { streamBench } from './stream-bench.ts'

/** `npm run bench` runs every part, `npm run bench -- NAME` one. */
const PARTS: Readonly<Record<string, BenchPart>> = {
  reply: replyBench,
  history: historyBench,
  stream: streamBench,
  plain: plainBench,
  body: bodyBench,
  delivery: deliveryBench,
  endurance: enduranceBench,
  account: accountBench,
  polls: pollBench,
  spend: spendBench,
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part ${unknown.join(', ')}, only ${Object.keys(PARTS).join(', ')}\n`,
  )
  process.exit(2)
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopping.abort(new Error(`The bench was told to end by ${signal}`)))
}

const startedAt = performance.now()
const database = await startBenchDatabase()
try {
  process.stdout.write(`${describeMachine({ postgresVersion: database.version })}\n`)
  for (const [name, part] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue
    stopping.signal.throwIfAborted()
    const report = await part.run({ database, signal: stopping.signal, progress })
    process.stdout.write(`\n## ${part.title}\n\n${report}\n`)
  }
} catch (error) {
  // Whatever breaks once the bench has to end breaks because of it.
  stopping.signal.throwIfAborted()
  throw error
} finally {
  await database.stop()
}

function progress(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stderr.write(`${seconds.padStart(6)} s  ${line}\n`)
}
