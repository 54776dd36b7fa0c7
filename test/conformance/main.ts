import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { THIS_CHECKOUT } from '../bench/checkout.ts'
import { startBenchDatabase } from '../bench/surroundings/bench-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { readArguments } from './arguments.ts'
import { judge, RUN_KINDS, type RunKind, type Verdict } from './judge.ts'
import { MUTATIONS } from './mutations/mutations.ts'
import { copySources, type SourceCopy } from './source-copy.ts'
import { FAULTLESS, SECOND_SERVICE, type Subject, toSubject } from './subjects.ts'
import { describeVerdict, drawTable, hasFound } from './table.ts'

const ALL = [FAULTLESS, SECOND_SERVICE, ...MUTATIONS.map(toSubject)]
const options = readArguments(process.argv.slice(2), {
  names: ALL.map(({ name }) => name),
  kinds: RUN_KINDS,
})
if (typeof options === 'string') {
  process.stderr.write(options)
  process.exit(2)
}
const { atOnce, times } = options
const kinds = RUN_KINDS.filter((kind) => options.kinds.includes(kind))
const subjects = ALL.filter(({ name }) => options.names.includes(name))
const verdicts = new Map<Subject, Map<string, Verdict>>(subjects.map((each) => [each, new Map()]))
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
const folder = await mkdtemp(join(tmpdir(), 'kopeck-faults-'))
const database = await startBenchDatabase()
try {
  // The longest first, so that the end does not wait for one of them.
  const jobs = kinds
    .toReversed()
    .flatMap((kind) =>
      subjects.flatMap((subject) => Array.from({ length: times }, () => ({ subject, kind }))),
    )
  const places = Array.from({ length: Math.min(atOnce, jobs.length) }, (_, index) =>
    copySources(join(folder, String(index))),
  )
  await Promise.all(
    places.map(async (copying) => {
      const copy = await copying
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        if (stopping.signal.aborted) return
        await runJob(job, copy)
      }
    }),
  )
} finally {
  await database.stop()
  await rm(folder, { recursive: true })
}
process.stdout.write(`\n${drawTable(subjects, kinds, verdicts)}`)
const last = kinds.at(-1)
const areRight = subjects.every(
  (subject) =>
    last === undefined ||
    hasFound(verdicts.get(subject)?.get(last)) === (subject.breaks !== undefined),
)
process.exit(areRight && !stopping.signal.aborted ? 0 : 1)

async function runJob(
  { subject, kind }: { subject: Subject; kind: RunKind },
  copy: SourceCopy,
): Promise<void> {
  const verdict = await judgeOnce(subject, kind, copy).catch(
    (error: Error): Verdict => ({
      passed: 0,
      failed: [],
      unseen: [],
      seconds: 0,
      problem: `not started: ${error.message.split('\n')[0]}`,
    }),
  )
  const known = verdicts.get(subject)
  // Of several runs the one counts that is not like what it should be.
  const before = known?.get(kind)
  const shouldFind = subject.breaks !== undefined
  if (before === undefined || hasFound(before) === shouldFind) known?.set(kind, verdict)
  const { passed, unseen, seconds } = verdict
  process.stdout.write(
    `${subject.name}, ${kind}: ${describeVerdict(verdict)} (${passed} passed, ${unseen.length} not seen, ${seconds} s)\n`,
  )
}

async function judgeOnce(subject: Subject, kind: RunKind, copy: SourceCopy): Promise<Verdict> {
  const receiver = `127.0.0.1:${await findFreePort()}`
  const createDatabase = () => database.create(THIS_CHECKOUT)
  const judged = await subject.start({ copy, createDatabase, receiver })
  try {
    return await judge(judged, kind, `http://${receiver}/hook`)
  } finally {
    await judged.stop()
  }
}
