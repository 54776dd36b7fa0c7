import { summarise } from './percentiles.ts'

/** What two contenders took for the same thing. Less is better. */
export interface Comparison {
  name: string
  unit: string
  /** Digits after the point. Default 0. */
  digits?: number
  baseline: readonly number[]
  ours: readonly number[]
}

/** A Markdown table, one line a comparison; the ratio is that of the medians, ours to the baseline. */
export function toComparisonTable(
  rows: readonly Comparison[],
  { baseline, ours }: { baseline: string; ours: string },
): string {
  const header = ['', `${baseline}, median`, 'p95', `${ours}, median`, 'p95', 'ratio']
  const rule = ['---', ...header.slice(1).map(() => '---:')]
  return [header, rule, ...rows.map(toCells)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function toCells({ name, unit, digits = 0, baseline, ours }: Comparison): string[] {
  const [theirs, own] = [summarise(baseline), summarise(ours)]
  const show = (value: number | undefined) => (value === undefined ? '' : value.toFixed(digits))
  const ratio = theirs.median === 0 ? '' : `${(own.median / theirs.median).toFixed(2)}×`
  return [
    `${name}, ${unit}`,
    show(theirs.median),
    show(theirs.p95),
    show(own.median),
    show(own.p95),
    ratio,
  ]
}
