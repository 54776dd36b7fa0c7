import pg from 'pg'
import { NOT_BEGUN, SUSPENDED } from './database.ts'

/** SQLSTATEs of faults for the operator. After class 40 (a deadlock) the same statement succeeds when repeated. */
const TROUBLES = /^(08|28|3D|40|53|57|58|25006|25P03|42501|55000|55P03)/
const KINDS =
  /^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TlsConnectionError|TransactionWriteConflict)$/

/** Prisma's code of a transaction that took too long: it waited for locks, or its process was frozen. */
const TRANSACTION_EXPIRED = 'P2028'

/** True when the database cannot be used, for any statement; false for a mistake in a statement. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (error instanceof pg.DatabaseError) return TROUBLES.test(code)
  if (code === TRANSACTION_EXPIRED) return true
  const { kind, originalCode } = adapterCauseOf(error)
  if (kind !== undefined) return TROUBLES.test(originalCode ?? '') || KINDS.test(kind)
  // The pool and the socket have no class of their own.
  return (
    /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/.test(code) ||
    /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Cannot use a pool|Client has encountered a connection error|Client was closed)/.test(
      error.message,
    )
  )
}

/** SQLSTATEs after which a statement may have been done: its session was ended before it had reported. */
const ENDED_SESSION = /^(08|57P0[125])/
const UNCONNECTED_CODES = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/
const UNCONNECTED_MESSAGES: ReadonlySet<string> = new Set([
  SUSPENDED,
  NOT_BEGUN,
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated due to connection timeout',
  'Cannot use a pool after calling end on the pool',
])

/** True when a statement of pg's that failed so may have been done all the same, or may be done yet: its answer was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  if (error instanceof pg.DatabaseError) return ENDED_SESSION.test(error.code ?? '')
  const code = 'code' in error ? String(error.code) : ''
  return !UNCONNECTED_CODES.test(code) && !UNCONNECTED_MESSAGES.has(error.message)
}

export function isDataRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith('22') === true
}

interface AdapterCause {
  kind?: string
  originalCode?: string
}

/** Reads an error of Prisma Client without loading Prisma. The error of a COMMIT is the adapter's own. */
function adapterCauseOf(error: Error): AdapterCause {
  if (error.name === 'DriverAdapterError') return (error.cause ?? {}) as AdapterCause
  const { driverAdapterError } = (('meta' in error && error.meta) || {}) as {
    driverAdapterError?: { cause?: AdapterCause }
  }
  return driverAdapterError?.cause ?? {}
}
