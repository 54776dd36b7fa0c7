import type { Verdict } from './judge.ts'
import type { Subject } from './subjects.ts'

/** More rules that were not seen are counted, and not named. */
const UNSEEN_NAMED_MAX = 5

/** What became of a subject, by the kind of run. */
export type Verdicts = ReadonlyMap<string, Verdict>

/** Draws a line for each subject, in Markdown: in each kind of run the rules that failed. */
export function drawTable(
  subjects: readonly Subject[],
  kinds: readonly string[],
  verdicts: ReadonlyMap<Subject, Verdicts>,
): string {
  const lines = subjects.map((subject) => [
    subject.name,
    subject.breaks ?? '–',
    ...kinds.map((kind) => describeVerdict(verdicts.get(subject)?.get(kind))),
  ])
  const counts = kinds.map((kind) => {
    const faulty = subjects.filter(({ breaks }) => breaks !== undefined)
    const found = faulty.filter((subject) => hasFound(verdicts.get(subject)?.get(kind)))
    return `${found.length} of ${faulty.length} found`
  })
  const head = ['name', 'fault', ...kinds]
  return [head, head.map(() => '---'), ...lines, ['', '', ...counts]]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')
}

/** Writes what a run has found, in a few words. */
export function describeVerdict(verdict: Verdict | undefined): string {
  if (verdict === undefined) return 'not run'
  if (verdict.problem !== undefined) return `no report: ${verdict.problem}`
  if (verdict.failed.length > 0) return verdict.failed.join(', ')
  const { unseen } = verdict
  if (unseen.length === 0) return 'passed'
  return `passed, not seen: ${unseen.length > UNSEEN_NAMED_MAX ? unseen.length : unseen.join(', ')}`
}

/** Checks whether a run says that something is wrong. */
export function hasFound(verdict: Verdict | undefined): boolean {
  return verdict !== undefined && (verdict.failed.length > 0 || verdict.problem !== undefined)
}
