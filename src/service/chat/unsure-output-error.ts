/**
 * The first output may have been recorded or not. If it was, its hold would be kept after a crash, so the request
 * cannot be answered as one that costs nothing.
 */
export class UnsureOutputError extends Error {
  override readonly name = 'UnsureOutputError'

  constructor(cause: unknown) {
    super('Cannot know whether the first output was recorded', { cause })
  }
}
