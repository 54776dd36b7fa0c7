import { formatRub } from '../../../contract/money.ts'
import { writeTable } from '../../command-line/write-output.ts'
import type { Report, RequestSeen, Result } from '../conformance.ts'
import { describeSeconds } from '../cost.ts'
import type { Outcome } from '../rule.ts'

const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'not seen']

const OUTCOME_CHARS = 8
const RULE_CHARS = 22
/** JSON has all of them. */
const REQUESTS_MAX = 4
/** What most rules look at besides. */
const LOOKS: readonly string[] = ['/balance', '/chats/models', '/prices']

/**
 * Writes what became of a rule, for people: a line with the last request of those behind it; where it is broken, what
 * was asked and more of them.
 */
export function writeResult({ rule, outcome, asked, seen, requests }: Result): string {
  const head = `${outcome.padEnd(OUTCOME_CHARS)}  ${rule.padEnd(RULE_CHARS)}  ${seen}`
  const own = requests.filter(({ path }) => !LOOKS.includes(path))
  const behind = own.length > 0 ? own : requests
  const id = behind.at(-1)?.id
  if (outcome !== 'failed') return id ? `${head}  [${id}]` : head
  const indent = ' '.repeat(OUTCOME_CHARS + 2)
  const lines = behind.slice(-REQUESTS_MAX).map((request) => `${indent}${writeRequest(request)}`)
  return [head, `${indent}asked: ${asked}`, ...lines].join('\n')
}

/** Writes what a run comes to: what is open, what was not seen and why, the counts, and what it took. */
export function writeEnd({ results, notes, asked, spentMicroRub, seconds }: Report): string {
  const counts = OUTCOMES.map((outcome) => `${countOf(results, outcome)} ${outcome}`)
  const took = [
    `${asked} requests`,
    spentMicroRub === undefined ? 'an unknown sum' : `${formatRub(spentMicroRub)} RUB`,
    describeSeconds(seconds),
  ]
  return [
    '',
    'What the interface leaves open:',
    writeTable(
      [{ head: 'ABOUT' }, { head: 'SEEN' }],
      notes.map(({ about, seen }) => [about, seen]),
    ),
    ...writeUnseen(results),
    '',
    `${counts.join(', ')}; ${took.join(', ')}.`,
  ].join('\n')
}

function writeUnseen(results: readonly Result[]): string[] {
  const rulesOf = new Map<string, string[]>()
  for (const { outcome, seen, rule } of results) {
    if (outcome === 'not seen') rulesOf.set(seen, [...(rulesOf.get(seen) ?? []), rule])
  }
  if (rulesOf.size === 0) return []
  const lines = [...rulesOf].map(([why, rules]) => `  ${rules.join(', ')}: ${why}`)
  return ['', 'Not seen:', ...lines]
}

/** Counts the rules of an outcome. */
export function countOf(results: readonly Result[], wanted: Outcome): number {
  return results.filter(({ outcome }) => outcome === wanted).length
}

/** Writes a request with its answer's status and name. */
export function writeRequest({ method, path, status, id }: RequestSeen): string {
  return [method, path, status, ...(id === null ? [] : [id])].join(' ')
}
