import { execFileSync } from 'node:child_process'
import { type BenchArguments, readArguments } from './arguments.ts'
import { type Checkout, THIS_CHECKOUT } from './checkout.ts'
import { createBenchAccounts } from './contenders/gateways/bench-accounts.ts'
import { findPeers } from './contenders/gateways/peers.ts'
import { findCores, moveFamily } from './measuring/cores.ts'
import type { BenchContext } from './part.ts'
import { PARTS } from './parts/parts.ts'
import { describeMachine, readLoadAverage } from './report/machine.ts'
import { withNoise } from './report/noise.ts'
import { keepResult } from './report/results.ts'
import { type GoalOutcome, readGoals, showTable } from './report/table.ts'
import { startBenchDatabase } from './surroundings/bench-database.ts'

const asked = readArguments(process.argv.slice(2), Object.keys(PARTS))
if (typeof asked === 'string') {
  process.stderr.write(asked)
  process.exit(2)
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // A terminal signals this process and npm, which signals it again.
  process.on(signal, () => stopping.abort(new Error(`The bench was ended by ${signal}`)))
}
const startedAt = performance.now()
const { missed, failed } = await measureParts(asked)
for (const { subject, ours, goal, verdict } of missed) {
  process.stdout.write(`\nThe goal is ${verdict}: ${subject}: ${ours}, for ${goal}\n`)
}
for (const name of failed) process.stderr.write(`\nFAILED: ${name}, see above\n`)
if (failed.length > 0) process.exitCode = 1

/** A part that fails takes nothing from the others. */
async function measureParts({ parts, before, peersFolder, ...options }: BenchArguments) {
  const { signal } = stopping
  const missed: GoalOutcome[] = []
  const failed: string[] = []
  const cores = await findCores()
  const peers = await findPeers(peersFolder)
  const database = await startBenchDatabase()
  try {
    // What the bench starts stays where the bench is, unless it is moved.
    await moveFamily(process.pid, cores.around)
    await database.moveTo(cores.measured)
    const other: Checkout[] = before === undefined ? [] : [{ name: 'before', root: before }]
    const checkouts = [...other, THIS_CHECKOUT]
    const accountsOf = createBenchAccounts(database)
    const machine = describeMachine({ postgresVersion: database.version, cores, peers })
    process.stdout.write(`${machine}\n`)
    for (const part of parts) {
      if (signal.aborted) break
      const progress = (line: string) => report(`${part}: ${line}`)
      const context = {
        database,
        cores,
        checkouts,
        accountsOf,
        peers,
        signal,
        progress,
        noise: [],
        ...options,
      }
      try {
        missed.push(...(await measurePart(part, context, machine)))
      } catch (error) {
        failed.push(part)
        process.stderr.write(`\n${part} failed: ${error instanceof Error ? error.stack : error}\n`)
      }
    }
  } finally {
    await database.stop()
  }
  return { missed, failed }
}

/** @returns The goals that are missed, or not certain. */
async function measurePart(
  part: string,
  context: BenchContext,
  machine: string,
): Promise<GoalOutcome[]> {
  const { rounds, checkouts, only } = context
  const begunAt = { takenAt: new Date().toISOString(), ms: performance.now() }
  const loadBefore = readLoadAverage()
  const measured =
    (await Promise.race([PARTS[part]?.(context), untilAborted(context.signal)])) ?? []
  const tables = measured.map((table) => withNoise(table, context.noise))
  const seconds = (performance.now() - begunAt.ms) / 1000
  const before = checkouts.find(({ name }) => name === 'before')
  process.stdout.write(`\n## ${part}\n\n${tables.map(showTable).join('\n\n')}\n`)
  if (only === undefined) {
    await keepResult({
      part,
      takenAt: begunAt.takenAt,
      seconds,
      rounds,
      machine,
      tables,
      revision: readRevision(THIS_CHECKOUT),
      ...(before && { before: readRevision(before) }),
      loadAverage: [loadBefore, readLoadAverage()],
    })
  }
  return tables
    .flatMap(readGoals)
    .filter(({ verdict }) => verdict === 'missed' || verdict === 'not certain')
}

/** Ends the wait for work that does not look at the signal; with the database it ends soon, too. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** The commit of a checkout; with a plus where its files differ from that. */
function readRevision({ root }: Checkout): string {
  const options = { cwd: root, encoding: 'utf8' } as const
  return execFileSync('git', ['describe', '--always', '--dirty=+'], options).trim()
}

function report(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stderr.write(`${seconds.padStart(6)} s  ${line}\n`)
}
