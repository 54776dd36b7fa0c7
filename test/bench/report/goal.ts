import { percentile } from '../measuring/percentiles.ts'

/** The value that a figure of ours has to reach. */
export interface Goal {
  is: 'at most' | 'at least'
  value: number
  /** The value counts as so many times what this contender has. */
  times?: string
}

/** `not certain`: some rounds reach it and some do not. `not measured`: nothing of ours or of the other was. */
export type Verdict = 'met' | 'missed' | 'not certain' | 'not measured'

/** Compares each round of a figure with its goal. */
export function judgeGoal(
  { is, value, times }: Goal,
  values: Readonly<Record<string, readonly number[] | undefined>>,
): Verdict {
  const { Kopeck: ours = [] } = values
  const others = times === undefined ? undefined : (values[times] ?? [])
  const median = times === undefined ? 1 : medianOf(others)
  if (ours.length === 0 || median === undefined) return 'not measured'
  const rounds = new Set(
    ours.map((figure, round) => {
      // What came in the same round met the same machine.
      const unit = others?.length === ours.length ? (others[round] ?? median) : median
      return is === 'at most' ? figure <= value * unit : figure >= value * unit
    }),
  )
  if (rounds.size > 1) return 'not certain'
  return rounds.has(true) ? 'met' : 'missed'
}

/** Writes a goal as `≤ 40`, or `≤ 1.3 × bare (62)`. */
export function describeGoal(
  { is, value, times }: Goal,
  values: Readonly<Record<string, readonly number[] | undefined>>,
): string {
  const bound = `${is === 'at most' ? '≤' : '≥'} ${value.toLocaleString('en')}`
  if (times === undefined) return bound
  const unit = medianOf(values[times])
  const product =
    unit === undefined ? '' : ` (${Number((value * unit).toPrecision(3)).toLocaleString('en')})`
  return `${bound} × ${times}${product}`
}

/** The median of the rounds, if there were any. */
export function medianOf(values: readonly number[] | undefined): number | undefined {
  return values === undefined || values.length === 0 ? undefined : percentile(values, 0.5)
}
