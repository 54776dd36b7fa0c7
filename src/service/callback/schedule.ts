/** When the attempts begin, counted from the task's end, or from an operator's command (interface document, Events). */
const ATTEMPT_DELAYS_MS = [0, 5000, 15_000] as const

export const ATTEMPTS_MAX = ATTEMPT_DELAYS_MS.length

/**
 * Decides when the next attempt of a callback is due that is not delivered.
 *
 * @param attempts How many were begun; one that broke off counts.
 * @param sinceEndMs Time since the task ended.
 * @returns Milliseconds from now, 0 if it is due; undefined if there is no other.
 */
export function nextAttemptInMs({
  attempts,
  sinceEndMs,
}: {
  attempts: number
  sinceEndMs: number
}): number | undefined {
  const dueMs = ATTEMPT_DELAYS_MS[attempts]
  return dueMs === undefined ? undefined : Math.max(0, dueMs - sinceEndMs)
}
