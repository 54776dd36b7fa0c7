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

const UNKNOWN_HOST = /^(?:EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL|ENOTFOUND|EAI_AGAIN)$/

/** Describes why a server could not listen. Returns any other error unchanged. */
export function toListenRefusal(error: unknown, { setting, host, port }: ListenAddress): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  const refuse = (problem: string) =>
    new ListenRefusedError(`Cannot start: ${problem}`, { cause: error })
  if (code === 'EADDRINUSE') return refuse(`${setting} ${port} on ${host} is in use`)
  if (code === 'EACCES')
    return refuse(
      `${setting} ${port} on ${host} is not for this user, who may open ports from 1024 on`,
    )
  if (!UNKNOWN_HOST.test(code)) return error
  return refuse(
    `HOST ${host} is no address of this machine; 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses`,
  )
}
