import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ROOT } from './source-copy.ts'
import type { Judged } from './subjects.ts'

/** A run that takes longer has hung. */
const RUN_MS_MAX = 30 * 60_000

/** The kinds of runs, and the options of the program for each beside the address, the key and the form of the report. */
export const RUNS = {
  short: () => [],
  thorough,
  provoked: (judged: Judged, callbackUrl: string) => [
    ...thorough(judged, callbackUrl),
    ...judged.provocations.flatMap((provocation) => ['--provoke', provocation]),
  ],
} satisfies Record<string, (judged: Judged, callbackUrl: string) => string[]>
export type RunKind = keyof typeof RUNS
export const RUN_KINDS = Object.keys(RUNS) as RunKind[]

/** What a run of the program has found. */
export interface Verdict {
  passed: number
  /** The rules that it names as broken, and those that it has not seen. */
  failed: string[]
  unseen: string[]
  seconds: number
  /** What the program said instead of a report. */
  problem?: string
}

interface Report {
  results: { rule: string; outcome: string }[]
}

/** Has the program of this tree judge a service. */
export async function judge(judged: Judged, kind: RunKind, callbackUrl: string): Promise<Verdict> {
  const { baseUrl, apiKey } = judged
  const begunMs = performance.now()
  const child = spawn(
    process.execPath,
    [
      ...[join(ROOT, 'src/kopeck.js'), 'conformance', baseUrl, apiKey, '--yes', '--json'],
      ...RUNS[kind](judged, callbackUrl),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_MS_MAX, killSignal: 'SIGKILL' },
  )
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)])
  const seconds = Math.round((performance.now() - begunMs) / 1000)
  const report = readReport(printed)
  if (report === undefined) {
    const problem = said.trim().split('\n').at(-1) || 'it said nothing'
    return { passed: 0, failed: [], unseen: [], seconds, problem }
  }
  const rulesOf = (outcome: string) =>
    report.results.filter((result) => result.outcome === outcome).map(({ rule }) => rule)
  return {
    passed: rulesOf('passed').length,
    failed: rulesOf('failed'),
    unseen: rulesOf('not seen'),
    seconds,
  }
}

function thorough({ otherKey }: Judged, callbackUrl: string): string[] {
  return ['--thorough', '--callback-url', callbackUrl, '--other-key', otherKey]
}

/** The report is the last line. */
function readReport(printed: string): Report | undefined {
  try {
    const report = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as Partial<Report>
    return Array.isArray(report.results) ? { results: report.results } : undefined
  } catch {
    return undefined
  }
}
