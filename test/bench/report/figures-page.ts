import type { PartResult } from './results.ts'
import { readMissedGoals, showTable } from './table.ts'

const HEAD = `# Figures

Measured by \`npm run bench -- --publish\`, which writes this page. Each figure is the median of the rounds, with the
least and the most of them in brackets; in a round the contenders take turns, each in a fresh process. What is
measured shares one processor core with its PostgreSQL, whose work is in every figure of CPU; the load, the model and
Telegram are on another. Answers are checked: a figure of wrong work is none.

| | what it is |
| --- | --- |
| nginx | a proxy that hands on bytes, in one process |
| bare | the least that does the same thing in Node: bytes handed on by undici, a bot that edits once a second, a poller that notes nothing |
| llms | [@musistudio/llms](https://github.com/musistudio/llms), as it comes |
| Portkey | [its gateway](https://github.com/Portkey-AI/gateway), as it comes |
| before | Kopeck as it was at another commit, measured in the same rounds |
| Kopeck | Kopeck with \`npm start\`: keys, limits, holds and settlements on |
`

/**
 * The page of all results.
 *
 * @param parts Their names, in the order of the page.
 */
export function writeFiguresPage(results: readonly PartResult[], parts: readonly string[]): string {
  const inOrder = parts.flatMap((part) => results.filter((result) => result.part === part))
  const missed = inOrder.flatMap(({ tables }) => tables.flatMap(readMissedGoals))
  const sections = inOrder.map((result) =>
    [`## ${result.part}`, describe(result), ...result.tables.map(showTable)].join('\n\n'),
  )
  return `${[HEAD, showMissed(missed), ...sections].join('\n')}\n`.replaceAll(/\n{3,}/g, '\n\n')
}

function showMissed(missed: readonly string[]): string {
  if (missed.length === 0) return 'Every goal is met.\n'
  return ['Goals that are missed:\n', ...missed.map((sentence) => `- ${sentence}`), ''].join('\n')
}

function describe(result: PartResult): string {
  const { takenAt, rounds, seconds, revision, before, machine, loadAverage } = result
  const at = `${takenAt.slice(0, 16).replace('T', ' ')} UTC`
  const compared = before === undefined ? '' : `, before is ${before}`
  const [first, last] = loadAverage.map((load) => load.toFixed(1))
  return [
    `${at}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'} in ${seconds.toFixed(0)} s, commit ${revision}${compared};`,
    `load average ${first} when it began and ${last} when it ended. ${machine}.`,
  ].join(' ')
}
