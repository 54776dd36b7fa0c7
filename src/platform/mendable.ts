/** A fault that the operator can fix. The process prints the message and ends, with status 2 for a wrong setting. */
export class MendableError extends Error {
  override readonly name: string = 'MendableError'
  readonly status: 1 | 2 = 2
}

export function toListenRefusal(
  error: unknown,
  { setting, host, port }: { setting: 'PORT' | 'PLAYGROUND_PORT'; host: string; port: number },
): MendableError {
  const { code } = error as NodeJS.ErrnoException
  const problem = code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${code})`
  return new MendableError(`Cannot start: ${setting} ${port} on ${host} ${problem}`, {
    cause: error,
  })
}
