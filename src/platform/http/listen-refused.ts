import { MendableError } from '../mendable.ts'

class ListenRefusedError extends MendableError {
  override readonly name = 'ListenRefusedError'
}

/** An address, and the variable of its port. */
export interface ListenAddress {
  setting: 'PORT' | 'PLAYGROUND_PORT'
  host: string
  port: number
}

/** Describes why a server could not listen. Returns any other error unchanged. */
export function toListenRefusal(error: unknown, { setting, host, port }: ListenAddress): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  const problem = describe()
  return problem === undefined
    ? error
    : new ListenRefusedError(`Cannot start: ${problem}`, { cause: error })

  function describe(): string | undefined {
    switch (code) {
      case 'EADDRINUSE':
        return `${setting} ${port} on ${host} is in use`
      case 'EACCES':
        return `${setting} ${port} on ${host} is not for this user, who may open ports from 1024 on`
      case 'EADDRNOTAVAIL':
      case 'EAFNOSUPPORT':
      case 'EINVAL':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `HOST ${host} is no address of this machine; 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses`
      default:
        return undefined
    }
  }
}
