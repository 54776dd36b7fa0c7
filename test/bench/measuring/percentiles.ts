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
