import { writeTable } from '../command-line/write-table.ts'
import type { Report } from './conformance.ts'
import type { Outcome } from './rule.ts'

/** Of what was asked, so much is in the table; JSON has it whole. */
const ASKED_CHARS_MAX = 60

const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'not seen', 'skipped']

/** Writes what became of each rule, for people. */
export function printReport({ results, notes }: Report): string {
  const columns = ['RULE', 'OUTCOME', 'ASKED', 'SEEN'].map((head) => ({ head }))
  const rows = results.map(({ rule, outcome, asked, seen }) => [rule, outcome, cut(asked), seen])
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

function cut(text: string): string {
  return text.length > ASKED_CHARS_MAX ? `${text.slice(0, ASKED_CHARS_MAX - 1)}…` : text
}
