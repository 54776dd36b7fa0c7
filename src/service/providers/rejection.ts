/** True for refusals that the request itself caused; the same request would be refused again. */
export function isRejection(status: number): boolean {
  // Our key, our balance there, our model's name, a time-out, a limit: none of it is the caller's doing.
  const ours = [401, 402, 403, 404, 405, 407, 408, 409, 425, 429]
  return status >= 400 && status < 500 && !ours.includes(status)
}
