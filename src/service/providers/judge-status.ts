/**
 * The meaning of a status for the work that a request asked for. `rejected`: the same request would be refused
 * again. `refused`: so would any other, until the operator mends something. `unavailable`: nothing has begun,
 * another time perhaps. `unknown`: it may have begun.
 */
export type Verdict = 'accepted' | 'rejected' | 'refused' | 'unavailable' | 'unknown'

/** Our key, our balance there, our rights, our model's name, a proxy of ours. */
const OURS_TO_MEND: readonly number[] = [401, 402, 403, 404, 405, 407]
/** A time-out, a limit: none of it is the caller's doing either, and it passes. */
const PASSING: readonly number[] = [408, 409, 425, 429]

/**
 * Judges an answer by its status. A redirect, a failure of the server (5xx but for 503), or one of a server
 * in between, says nothing about the work.
 *
 * @see docs/service.md#was-it-sent
 */
export function judgeStatus(status: number): Verdict {
  if (status >= 200 && status < 300) return 'accepted'
  if (isRejection(status)) return 'rejected'
  if (OURS_TO_MEND.includes(status)) return 'refused'
  return status === 503 || PASSING.includes(status) ? 'unavailable' : 'unknown'
}

/** True for refusals that the request itself caused; the same request would be refused again. */
export function isRejection(status: number): boolean {
  const isRefusal = status >= 400 && status < 500
  return isRefusal && !OURS_TO_MEND.includes(status) && !PASSING.includes(status)
}
