import pg from 'pg'
import { type Checkout, importFrom } from '../../checkout.ts'
import type { BenchDatabase } from '../../surroundings/bench-database.ts'

/** Each may make 30 requests a minute: with so many, no request of one core has to wait. */
const ACCOUNTS = 4_000
const CREDIT_MICRO_RUB = 1_000_000_000n
const AT_ONCE = 8

/** A database with accounts that have money, to be copied, and their keys. */
export interface BenchAccounts {
  url: string
  keys: readonly string[]
}

/** Makes accounts in a database of each checkout when they are first asked for. */
export function createBenchAccounts(database: BenchDatabase) {
  const made = new Map<string, Promise<BenchAccounts>>()
  return (checkout: Checkout): Promise<BenchAccounts> => {
    const accounts = made.get(checkout.root) ?? make(checkout, database)
    made.set(checkout.root, accounts)
    return accounts
  }
}

async function make(checkout: Checkout, database: BenchDatabase): Promise<BenchAccounts> {
  type Accounts = typeof import('../../../../src/service/ledger/accounts.ts')
  type ApiKeys = typeof import('../../../../src/service/ledger/keys/api-keys.ts')
  const ledger = 'src/service/ledger'
  const { createAccount } = await importFrom<Accounts>(checkout, `${ledger}/accounts.ts`)
  const { createApiKey } = await importFrom<ApiKeys>(checkout, `${ledger}/keys/api-keys.ts`)
  const url = await database.create(checkout)
  const pool = new pg.Pool({ connectionString: url, max: AT_ONCE })
  // Its database may be dropped before its last connection has ended.
  pool.on('error', () => {})
  const keys: string[] = []
  let left = ACCOUNTS
  const createOn = async () => {
    while (left-- > 0) {
      const credit = { creditMicroRub: CREDIT_MICRO_RUB }
      const { id } = await createAccount(pool, { name: `bench ${left}`, ...credit })
      keys.push(await createApiKey(pool, id))
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, createOn))
    // The others are empty, as in a fresh installation: PostgreSQL knows nothing of them yet, and is not to know that.
    await pool.query('VACUUM ANALYZE service.account, service.api_key')
  } finally {
    await pool.end()
  }
  return { url, keys }
}
