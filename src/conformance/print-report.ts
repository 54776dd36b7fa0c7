import { writeTable } from '../command-line/write-table.ts'
import type { Report } from './conformance.ts'
import type { Outcome } from './rule.ts'

const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'not seen', 'skipped']

/** Writes what became of each rule, for people. */
export function printReport({ results, notes }: Report): string {
  const columns = ['RULE', 'OUTCOME', 'ASKED', 'SEEN'].map((head) => ({ head }))
  const rows = results.map(({ rule, outcome, asked, seen }) => [rule, outcome, asked, seen])
  const counts = OUTCOMES.map((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length
    return `${count} ${outcome}`
  })
  const open = notes.map(({ about, seen }) => [about, seen])
  return [
    writeTable(columns, rows),
    '',
    'What the interface leaves open:',
    writeTable([{ head: 'ABOUT' }, { head: 'SEEN' }], open),
    '',
    `${counts.join(', ')}.`,
  ].join('\n')
}
