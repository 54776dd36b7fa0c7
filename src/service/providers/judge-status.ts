/**
 * What a status says about the work that a request asked for. `rejected`: the same request would be refused
 * again. `unavailable`: nothing has begun, another time perhaps. `unknown`: it may have begun.
 */
export type Verdict = 'accepted' | 'rejected' | 'unavailable' | 'unknown'

/**
 * Judges an answer by its status. A redirect, a failure of the server (5xx but for 503), or one of a server
 * in between, says nothing about the work.
 *
 * @see docs/service.md#was-it-sent
 */
export function judgeStatus(status: number): Verdict {
  if (status >= 200 && status < 300) return 'accepted'
  if (isRejection(status)) return 'rejected'
  return status === 503 || (status >= 400 && status < 500) ? 'unavailable' : 'unknown'
}

/** True for refusals that the request itself caused; the same request would be refused again. */
export function isRejection(status: number): boolean {
  // Our key, our balance there, our model's name, a time-out, a limit: none of it is the caller's doing.
  const ours = [401, 402, 403, 404, 405, 407, 408, 409, 425, 429]
  return status >= 400 && status < 500 && !ours.includes(status)
}
