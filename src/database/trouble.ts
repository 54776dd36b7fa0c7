import pg from 'pg'

/** True when the database is not there, is full or is going away; false for a mistake in a statement. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (error instanceof pg.DatabaseError) return /^(08|53|57|25006)/.test(code)
  // The pool and the socket have no class of their own.
  return (
    /^(ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT)/.test(code) ||
    /^(Connection terminated|timeout exceeded when trying to connect|Cannot use a pool)/.test(
      error.message,
    )
  )
}
