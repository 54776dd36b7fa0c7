/** What a set of measurements comes to. */
export interface Summary {
  median: number
  /** Missing where there are too few samples for one in twenty to mean anything. */
  p95: number | undefined
}

const P95_SAMPLES_MIN = 20

/** @throws {RangeError} If there are no samples. */
export function summarise(samples: readonly number[]): Summary {
  return {
    median: percentile(samples, 0.5),
    p95: samples.length < P95_SAMPLES_MIN ? undefined : percentile(samples, 0.95),
  }
}

/**
 * The smallest sample that at least `share` of all samples do not exceed (nearest rank).
 *
 * @param share Above 0, at most 1.
 * @throws {RangeError} If there are no samples, or no such share.
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const found = sorted[Math.ceil(share * sorted.length) - 1]
  if (found === undefined || share > 1) {
    throw new RangeError(`Cannot take percentile ${share} of ${samples.length} samples`)
  }
  return found
}
