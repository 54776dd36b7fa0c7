import type { RoundReport } from './round.ts'

/** Draws a line for each kind, in Markdown. */
export function drawTable(reports: ReadonlyMap<string, readonly RoundReport[]>): string {
  const lines = Array.from(reports, ([kind, those]) => {
    const sum = (of: (report: RoundReport) => number) =>
      those.reduce((all, report) => all + of(report), 0)
    return [
      kind,
      those.length,
      seconds(those.map(({ servedAgainMs }) => servedAgainMs ?? Number.POSITIVE_INFINITY)),
      seconds(those.map(({ mendedMs }) => mendedMs)),
      sum(({ prompts }) => prompts.sent),
      sum(({ prompts }) => prompts.whole),
      sum(({ prompts }) => prompts.explained + prompts.failed),
      `${sum(({ orders }) => orders.delivered)} / ${sum(({ orders }) => orders.failed)}`,
      `${sum(({ requests }) => requests.good)} / ${sum(({ requests }) => requests.refused)} / ${sum(({ requests }) => requests.broken)}`,
      sum(({ lost }) => lost),
      sum(({ twice }) => twice),
      sum(({ problems }) => problems.length),
    ]
  })
  const head = [
    ...['kind', 'rounds', 'served again, s', 'after it was mended, s', 'prompts', 'whole'],
    ...['explained', 'orders delivered / failed', 'requests good / refused / broken'],
    ...['lost', 'twice', 'problems'],
  ]
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')
}

function seconds(times: readonly number[]): string {
  const all = times.map((ms) => (Number.isFinite(ms) ? (ms / 1_000).toFixed(1) : 'never'))
  return all.join(', ')
}
