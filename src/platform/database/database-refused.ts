import pg from 'pg'
import { MendableError } from '../mendable.ts'

export class DatabaseRefusedError extends MendableError {
  override readonly name = 'DatabaseRefusedError'
  readonly code = 'database_refused'
  /** True if it may pass by itself: the server starts at the same time, or has no connection left. */
  readonly mayPass: boolean

  constructor(
    problem: string,
    { mayPass = false, cause }: { mayPass?: boolean; cause?: unknown } = {},
  ) {
    super(`Cannot use the database: ${problem}`, { cause })
    this.mayPass = mayPass
  }
}

export const DATABASE_URL_WORDS =
  'a PostgreSQL URL of one host, postgresql://user:password@host:5432/database; one address leads to the primary of several (docs/scale.md)'

/** Reads DATABASE_URL. @returns Undefined unless it is a valid URL of PostgreSQL with one host. */
export function parseDatabaseUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return undefined
  if ([url.host, url.searchParams.get('host')].some((host) => host?.includes(','))) return undefined
  try {
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part)
    return text
  } catch {
    return undefined
  }
}

const PASSING_STATES = /^(53|57)/
const LASTING = /CERT|SSL|TLS|^(ENOTFOUND|EACCES)$/

export function toDatabaseRefusal(error: unknown, url: string): unknown {
  if (error instanceof DatabaseRefusedError || !(error instanceof Error)) return error
  const { code = '', syscall, message } = error as NodeJS.ErrnoException
  const server = describeServer(url)
  if (error instanceof pg.DatabaseError) {
    const problem = `DATABASE_URL: the server at ${server} answers: ${message}`
    return new DatabaseRefusedError(problem, { mayPass: PASSING_STATES.test(code), cause: error })
  }
  // Node appends advice to some messages; the error of several addresses has only a code.
  const [reason] = (message || code).split(';')
  const mayPass = syscall !== 'open' && !LASTING.test(code) && !/ SSL /.test(message)
  const problem = `DATABASE_URL: cannot connect to ${server}: ${reason}`
  return new DatabaseRefusedError(problem, { mayPass, cause: error })
}

function describeServer(url: string): string {
  const { hostname = '', port = '', searchParams } = URL.parse(url) ?? {}
  const host = searchParams?.get('host') ?? hostname
  return host.startsWith('/') ? host : `${host || 'localhost'}:${port || '5432'}`
}
