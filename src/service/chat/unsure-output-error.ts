/**
 * Nothing tells whether the first output was noted: its hold would be kept after a crash, so the request can
 * not be answered as one that costs nothing.
 */
export class UnsureOutputError extends Error {
  override readonly name = 'UnsureOutputError'

  constructor(cause: unknown) {
    super('Cannot tell whether the first output was noted', { cause })
  }
}
