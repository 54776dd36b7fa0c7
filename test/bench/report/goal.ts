import { percentile } from '../measuring/percentiles.ts'

/** The value that a figure of ours has to reach. */
export interface Goal {
  is: 'at most' | 'at least'
  value: number
  /** The value counts as so many times what this contender has. */
  times?: string
}

/** Compares a figure with its goal. @returns Undefined where nothing of ours or of the other was measured. */
export function isMet(
  { is, value, times }: Goal,
  values: Readonly<Record<string, readonly number[] | undefined>>,
): boolean | undefined {
  const ours = medianOf(values.Kopeck)
  const unit = times === undefined ? 1 : medianOf(values[times])
  if (ours === undefined || unit === undefined) return undefined
  return is === 'at most' ? ours <= value * unit : ours >= value * unit
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
