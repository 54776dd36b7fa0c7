import type { Checkout } from './checkout.ts'
import type { BenchAccounts } from './contenders/gateways/bench-accounts.ts'
import type { Peer } from './contenders/gateways/peers.ts'
import type { Cores } from './measuring/cores.ts'
import type { Noise } from './report/noise.ts'
import type { Table } from './report/table.ts'
import type { BenchDatabase } from './surroundings/bench-database.ts'

/** The means that every part may use. */
export interface BenchContext {
  database: BenchDatabase
  cores: Cores
  /** Kopeck as it stands here, after the one that it is compared with, if there is any. */
  checkouts: readonly Checkout[]
  /** Accounts with money in a database of the checkout's service. */
  accountsOf(checkout: Checkout): Promise<BenchAccounts>
  /** Gateways by others, installed or not. */
  peers: readonly Peer[]
  /** How often everything is measured, the contenders in turn. */
  rounds: number
  /** Names of the only contenders to be measured. */
  only: ReadonlySet<string> | undefined
  /** How much others disturbed each measurement of the part. */
  noise: Noise[]
  /** Aborts when the bench is asked to end. */
  signal: AbortSignal
  /** Reports to the person who waits what is being done. */
  progress(line: string): void
}

/**
 * One subject of the bench: measures, and ends everything that it started.
 *
 * @throws {Error} If anything came out wrong: a figure of wrong work is none.
 */
export type BenchPart = (context: BenchContext) => Promise<Table[]>
