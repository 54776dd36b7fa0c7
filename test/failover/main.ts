import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from './arguments.ts'
import { type Cluster, startCluster } from './cluster/cluster.ts'
import { createPrograms, installPackages } from './cluster/programs.ts'
import { FAULTS } from './faults.ts'
import { type House, openHouse } from './house.ts'
import { type Asked, type RoundReport, runRound } from './round.ts'
import { drawTable } from './table.ts'

const options = readArguments(process.argv.slice(2), Object.keys(FAULTS))
if (typeof options === 'string') {
  process.stderr.write(options)
  process.exit(2)
}
const { rounds, kinds, isSynchronous, isKept } = options
installPackages()
const programs = createPrograms()
const folder = await mkdtemp(join(tmpdir(), 'kopeck-failover-'))
// The user of the programs passes through.
await chmod(folder, 0o755)
let cluster: Cluster | undefined
let house: House | undefined
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
const reports = new Map<string, RoundReport[]>()
try {
  cluster = await startCluster(folder, { programs, isSynchronous })
  process.stdout.write(`the cluster is up in ${folder}\n`)
  house = await openHouse(folder, cluster.url)
  await runRounds(cluster, house)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
} finally {
  const codes = (await house?.stop()) ?? []
  if (codes.some((code) => code !== 0)) process.stderr.write(`processes ended with ${codes}\n`)
  if (isKept) await writeLogs()
  await cluster?.close()
  await programs.close()
  if (isKept) process.stdout.write(`logs are kept in ${folder}\n`)
  else await rm(folder, { recursive: true })
}
process.stdout.write(drawTable(reports))
const isGood = [...reports.values()].flat().every(({ problems }) => problems.length === 0)
process.exit(isGood ? process.exitCode : 1)

async function runRounds(cluster: Cluster, house: House): Promise<void> {
  const asked: Asked = { prompts: new Map(), orders: new Map() }
  for (
    let round = 0;
    round < rounds && !stopping.signal.aborted && house.ended.length === 0;
    round++
  ) {
    const kind = kinds[round % kinds.length] ?? ''
    const fault = FAULTS[kind]
    const missing = fault?.missing?.(cluster)
    if (fault === undefined || missing !== undefined) {
      process.stdout.write(`round ${round + 1}, ${kind}: left out, ${missing}\n`)
      continue
    }
    const report = await runRound(fault, { cluster, house, asked })
    reports.set(kind, [...(reports.get(kind) ?? []), report])
    process.stdout.write(`round ${round + 1}, ${kind}: ${JSON.stringify(report)}\n`)
  }
}

async function writeLogs(): Promise<void> {
  for (const [name, lines] of house?.logs ?? []) {
    await writeFile(join(folder, `${name}.log`), lines.join('\n'))
  }
}
