/** A fault that the operator can fix. The process prints the message and ends, with status 2 for a wrong setting. */
export class MendableError extends Error {
  override readonly name: string = 'MendableError'
  readonly status: 1 | 2 = 2
}
