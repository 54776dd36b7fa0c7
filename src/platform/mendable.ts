/**
 * What the operator can mend, and nobody else. The message is one sentence for them: it names the variable, and the
 * process ends without a stack, with status 2 if a setting is wrong.
 */
export class MendableError extends Error {
  override readonly name: string = 'MendableError'
  /** The exit status of the process. */
  readonly status: 1 | 2 = 2
}
