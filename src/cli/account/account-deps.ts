import type pg from 'pg'
import type { CommandDeps } from '../command-line/run-program.ts'

/** The dependencies of the commands of accounts. */
export interface AccountDeps extends CommandDeps {
  /** Does a command's work on the database, which is brought up to date first. */
  onDatabase: <T>(work: (pool: pg.Pool) => Promise<T>) => Promise<T>
}
