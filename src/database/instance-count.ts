/** The last count is returned for so long before the next. */
const FRESH_MS = 5000

/**
 * Keeps the count of living processes that do the same work, this one included. It is refreshed in the
 * background, and only while it is asked for.
 *
 * @returns Gives the last count, and starts a new one after 5 s. 1 before the first.
 */
export function createInstanceCount({
  count,
  clock,
  onError,
}: {
  count: () => Promise<number>
  clock: { now(): number }
  /** Told when a count failed: the last one is kept until the database answers again. */
  onError: (error: unknown) => void
}): () => number {
  let known = 1
  let freshUntil = Number.NEGATIVE_INFINITY
  return () => {
    if (freshUntil <= clock.now()) {
      freshUntil = clock.now() + FRESH_MS
      void refresh()
    }
    return known
  }

  async function refresh(): Promise<void> {
    try {
      known = Math.max(1, await count())
    } catch (error) {
      onError(error)
    }
  }
}
