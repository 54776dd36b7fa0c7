import pg from 'pg'
import { MendableError } from '../mendable.ts'

/** The server of DATABASE_URL does not suit, or refuses the connection. */
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

const PASSING = /^(53|57)/
const WRONG_PASSWORD = '28P01'
const NO_SUCH_DATABASE = '3D000'
const NO_ANSWER = /^(timeout expired|Connection terminated due to connection timeout)/

const UNKNOWN_ISSUER = /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/

/** Explains to the operator why no connection could be made. @returns Any other error as it is. */
export function toDatabaseRefusal(error: unknown, url: string): unknown {
  if (error instanceof DatabaseRefusedError || !(error instanceof Error)) return error
  const found = describe(error, readParts(url))
  if (found === undefined) return error
  const { problem, mayPass = false } = typeof found === 'string' ? { problem: found } : found
  return new DatabaseRefusedError(`DATABASE_URL: ${problem}`, { mayPass, cause: error })
}

interface Parts {
  server: string
  host: string
  user: string
  hasPassword: boolean
  database: string
}

/** Reads the parts of a URL that may be shown: no password. */
function readParts(url: string): Parts {
  const {
    hostname = '',
    port = '',
    username = '',
    password = '',
    pathname = '',
    searchParams,
  } = URL.parse(url) ?? {}
  const host = searchParams?.get('host') ?? hostname
  return {
    host,
    server: host.startsWith('/') ? host : `${host || 'localhost'}:${port || '5432'}`,
    user: decodeURIComponent(username),
    hasPassword: password !== '',
    database: decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username),
  }
}

function describe(
  error: Error,
  parts: Parts,
): string | { problem: string; mayPass: boolean } | undefined {
  const { server, host, user, hasPassword, database } = parts
  const { message } = error
  const { code = '', syscall, path } = error as NodeJS.ErrnoException
  if (error instanceof pg.DatabaseError) {
    if (code === WRONG_PASSWORD)
      return `the server at ${server} refuses the user "${user}" ${hasPassword ? 'with this' : 'without a'} password`
    if (code === NO_SUCH_DATABASE)
      return `the server at ${server} has no database "${database}"; make it there: createdb ${database}`
    return { problem: `the server at ${server} answers: ${message}`, mayPass: PASSING.test(code) }
  }
  if (syscall === 'open') return `the file "${path}" that it names cannot be read (${code})`
  if (code === 'ENOTFOUND') return `there is no host "${host}"`
  if (NO_ANSWER.test(message)) return `the server at ${server} does not answer`
  if (message.includes('does not support SSL'))
    return `it asks for TLS (sslmode), which the server at ${server} does not speak`
  if (UNKNOWN_ISSUER.test(code)) {
    // Some versions of Node append an advice for people who start Node themselves.
    const [reason] = message.split(';')
    return `the certificate of ${server} is refused: ${reason}; name the file of who signed it: &sslrootcert=FILE`
  }
  if (/CERT|SSL|TLS/.test(code)) return `the certificate of ${server} is refused: ${message}`
  const passing = (problem: string) => ({ problem, mayPass: true })
  if (code === 'EAI_AGAIN') return passing(`the name "${host}" cannot be looked up now`)
  if (/^(?:ECONNREFUSED|ENOENT)$/.test(code)) return passing(`nobody listens at ${server}`)
  if (/^E(?:HOSTUNREACH|NETUNREACH|TIMEDOUT)$/.test(code))
    return passing(`nobody answers at ${server}`)
  const isCut = /^(?:ECONNRESET|EPIPE)$/.test(code) || message.startsWith('Connection terminated')
  return isCut
    ? passing(`what listens at ${server} ends the connection, as no PostgreSQL does`)
    : undefined
}
