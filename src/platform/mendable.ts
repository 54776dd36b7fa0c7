/**
 * What the operator can mend, and nobody else. The message is one sentence for them: it names the variable, and the
 * process ends with status 2 and without a stack.
 */
export class MendableError extends Error {
  override readonly name: string = 'MendableError'
}
