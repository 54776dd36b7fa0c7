/** When the attempts begin, counted from the task's end (interface document, Events). */
export const ATTEMPT_DELAYS_MS = [0, 5000, 15_000] as const

export const ATTEMPTS_MAX = ATTEMPT_DELAYS_MS.length

/** What a callback that is not delivered needs now. */
export type DeliveryStep =
  | { do: 'attempt'; number: number }
  | { do: 'wait'; delayMs: number }
  | { do: 'give up' }

/**
 * Decides what comes next for a callback with no attempt under way.
 *
 * @param attempts How many were begun; one that broke off counts.
 * @param sinceEndMs Time since the task ended.
 */
export function nextDeliveryStep({
  attempts,
  sinceEndMs,
}: {
  attempts: number
  sinceEndMs: number
}): DeliveryStep {
  const dueMs = ATTEMPT_DELAYS_MS[attempts]
  if (dueMs === undefined) return { do: 'give up' }
  if (sinceEndMs < dueMs) return { do: 'wait', delayMs: dueMs - sinceEndMs }
  return { do: 'attempt', number: attempts + 1 }
}
