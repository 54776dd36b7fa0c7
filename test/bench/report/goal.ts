import { percentile } from '../measuring/percentiles.ts'

/** What a figure of ours has to be. */
export interface Goal {
  is: 'at most' | 'at least'
  value: number
  /** The value counts as so many times what this contender has. */
  times?: string
}

/** Whether the goal is met, or undefined where nothing of ours or of the other was measured. */
export function isMet(
  { is, value, times }: Goal,
  values: Readonly<Record<string, readonly number[] | undefined>>,
): boolean | undefined {
  const ours = medianOf(values.Kopeck)
  const unit = times === undefined ? 1 : medianOf(values[times])
  if (ours === undefined || unit === undefined) return undefined
  return is === 'at most' ? ours <= value * unit : ours >= value * unit
}

/** As `≤ 1.3 × bare`. */
export function describeGoal({ is, value, times }: Goal): string {
  const sign = is === 'at most' ? '≤' : '≥'
  return [sign, value.toLocaleString('en'), ...(times === undefined ? [] : ['×', times])].join(' ')
}

/** The median of the rounds, if there were any. */
export function medianOf(values: readonly number[] | undefined): number | undefined {
  return values === undefined || values.length === 0 ? undefined : percentile(values, 0.5)
}
