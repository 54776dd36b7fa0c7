import { MendableError } from '../mendable.ts'

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
