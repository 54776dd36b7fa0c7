import type { RateLimit } from '../../../../src/service/ledger/rate-limit.ts'
import type { CpuTaken } from '../../measuring/cpu.ts'

/** The holds and settlements that a loop is to do. */
export interface PairsTask {
  /** The folder of the checkout whose ledger is used. Without it money is moved by plain transactions. */
  root?: string
  databaseUrl: string
  /** The first process of PostgreSQL, whose CPU is read. */
  postgresPid: number
  /** They pay in turn. */
  payers: readonly { accountId: number; keyId: string }[]
  limit: RateLimit
  atOnce: number
  warmUpSeconds: number
  seconds: number
}

/** The figures of a loop after its warm-up. */
export interface PairsFigures {
  pairs: number
  seconds: number
  cpu: CpuTaken
}
