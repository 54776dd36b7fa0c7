import type { Verdict } from './goal.ts'
import type { PartResult } from './results.ts'
import { type GoalOutcome, readGoals, showTable, showVerdict } from './table.ts'

const HEAD = `# Figures

Measured by \`npm run bench\`, written by \`npm run figures\`. Each figure is the median of the rounds, with the least and
the most of them in brackets; in a round the contenders take turns, each in a fresh process. What is measured shares
one processor core with its PostgreSQL, whose work is in every figure of CPU; the load, the model and Telegram are on
another. Answers are checked: a figure of wrong work is none. A goal is met if each round reaches it. A measurement during
which others took more than 3 % of the machine is made again, twice at most.

| | what it is |
| --- | --- |
| nginx | a proxy that hands on bytes, in one process |
| bare | the least that does the same thing in Node: bytes handed on by undici, a bot that edits once a second, a poller that records nothing |
| llms | [@musistudio/llms](https://github.com/musistudio/llms), without its log |
| Portkey | [its gateway](https://github.com/Portkey-AI/gateway), as it comes |
| before | Kopeck as it was at another commit, measured in the same rounds |
| Kopeck | \`npm start\` of this commit: keys, limits, holds and settlements on |`

/**
 * The page of all results.
 *
 * @param parts Their names, in the order of the page.
 */
export function writeFiguresPage(results: readonly PartResult[], parts: readonly string[]): string {
  const inOrder = parts.flatMap((part) => results.filter((result) => result.part === part))
  const machines = new Set(inOrder.map(({ machine }) => machine))
  const isOne = machines.size === 1
  const goals = inOrder.flatMap(({ tables }) => tables.flatMap(readGoals))
  const sections = inOrder.flatMap((result) => [
    `## ${result.part}`,
    `${describe(result)}${isOne ? '' : ` On ${result.machine}.`}`,
    ...result.tables.map(showTable),
  ])
  const onOne = isOne ? [...machines].map((machine) => `On ${machine}.`) : []
  return `${[HEAD, ...onOne, showGoals(goals), ...sections].join('\n\n')}\n`
}

function showGoals(goals: readonly GoalOutcome[]): string {
  const rows = goals.map(({ subject, before, ours, goal, verdict }) =>
    [subject, before, ours, goal, showVerdict(verdict)].join(' | '),
  )
  const countOf = (wanted: Verdict) => goals.filter(({ verdict }) => verdict === wanted).length
  const uncertain = countOf('not certain')
  const rest =
    uncertain === 0
      ? ''
      : `; ${uncertain} are not certain, since some rounds reach them and some do not`
  return [
    `## Goals\n\nOf ${goals.length} goals ${countOf('missed')} are missed${rest}.\n`,
    '| | before | Kopeck | goal | |\n| --- | ---: | ---: | --- | --- |',
    ...rows.map((cells) => `| ${cells} |`),
  ].join('\n')
}

/** When it was measured, and of what. */
function describe(result: PartResult): string {
  const { takenAt, rounds, seconds, revision, before, loadAverage } = result
  const at = `${takenAt.slice(0, 16).replace('T', ' ')} UTC`
  const inRounds = `${rounds} ${rounds === 1 ? 'round' : 'rounds'} in ${seconds.toFixed(0)} s`
  const compared = before === undefined ? '' : `, before is ${before}`
  const [first, last] = loadAverage.map((load) => load.toFixed(1))
  const loads = `load average ${first} when it began and ${last} when it ended`
  return `${at}, ${inRounds}, commit ${revision}${compared}; ${loads}.`
}
