import type { Reloaded } from '../../process/reload/reload-messages.ts'
import { writeTable } from '../command-line/write-output.ts'
import type { ReloadReport } from './ask-to-reload.ts'

/** The processes' answers, and the file that was checked before. */
export interface CheckedReport extends ReloadReport {
  file: string
  /** The digest of the file here: a process on another machine may read another one. */
  digest: string
}

const COLUMNS = [
  { head: 'process', isNumber: true },
  { head: 'pid', isNumber: true },
  { head: 'host' },
  { head: 'reload' },
]

/** Checks whether any process does not sell by the file that was checked, or with the keys that are set now. */
export function hasFailed({ answers, silent, digest }: CheckedReport): boolean {
  const hasTaken = (reloaded: Reloaded) =>
    isOurs(reloaded, digest) && keptKeysOf(reloaded).length === 0
  return silent.length > 0 || answers.some(({ reloaded }) => !hasTaken(reloaded))
}

function keptKeysOf(reloaded: Reloaded): readonly string[] {
  return reloaded.outcome === 'taken' ? (reloaded.keptKeys ?? []) : []
}

/** Writes which processes took the file, which refused it and why, and which did not answer. */
export function writeReport({ file, digest, answers, silent }: CheckedReport): string {
  if (answers.length + silent.length === 0) {
    return `${file} is right. No process of the service runs on this database: the next start reads it.`
  }
  const rows = [
    ...answers.map(({ instance, pid, host, reloaded }) => [
      String(instance),
      String(pid),
      host,
      describe(reloaded, digest),
    ]),
    ...silent.map((id) => [String(id), '', '', 'no answer: look at its log, then reload again']),
  ]
  const reasons = answers.flatMap(({ instance, reloaded }) =>
    reloaded.outcome === 'taken'
      ? []
      : [
          `\nProcess ${instance} goes on as before:`,
          ...reloaded.problems.map((problem) => `  ${problem}`),
        ],
  )
  const kept = answers.flatMap(({ instance, reloaded }) =>
    keptKeysOf(reloaded).map(
      (name) =>
        `\nProcess ${instance} still uses the ${name} that it was started with: its own environment has one, which counts before .env. Start it anew.`,
    ),
  )
  return [writeTable(COLUMNS, rows), ...reasons, ...kept].join('\n')
}

/** The same for programs. */
export function toJson({ file, digest, answers, silent }: CheckedReport): object {
  return {
    file,
    digest,
    processes: [
      ...answers.map(({ instance, pid, host, reloaded }) => ({
        process: instance,
        pid,
        host,
        ...reloaded,
      })),
      ...silent.map((id) => ({ process: id, outcome: 'silent' })),
    ],
  }
}

function describe(reloaded: Reloaded, digest: string): string {
  if (reloaded.outcome === 'refused') return 'refused'
  if (!isOurs(reloaded, digest)) return 'taken, but its file differs from the one here'
  const { models, endpoints, newKeys = [] } = reloaded
  const keys = newKeys.length === 0 ? '' : `, new ${newKeys.join(', ')}`
  return `taken: models ${models}, creation endpoints ${endpoints}${keys}`
}

function isOurs(reloaded: Reloaded, digest: string): boolean {
  return reloaded.outcome === 'taken' && reloaded.digest === digest
}
