/** A bar so many times as high as the next one dwarfs the others. */
const DWARFS_TIMES = 4

/**
 * Finds the value at which an axis is cut, so that bars beside an enormous one can be read.
 *
 * @param heights Of the bars, in roubles.
 * @returns The part of the axis that is left out; undefined where all of it is shown.
 */
export function findAxisBreak(
  heights: readonly number[],
): { start: number; end: number } | undefined {
  const [highest = 0, next = 0] = heights.toSorted((one, other) => other - one)
  if (next <= 0 || highest < next * DWARFS_TIMES) return undefined
  return { start: next * 1.1, end: highest - next * 0.3 }
}
