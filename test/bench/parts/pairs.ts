import { join } from 'node:path'
import pg from 'pg'
import { CHAT_LIMIT } from '../../../src/service/http/rate-limit.ts'
import { type Checkout, importFrom } from '../checkout.ts'
import type { PairsFigures, PairsTask } from '../contenders/ledgers/pairs-task.ts'
import { inTurn } from '../in-turn.ts'
import { plainNode, startProgram } from '../measuring/program.ts'
import type { BenchContext } from '../part.ts'
import { type Row, type Runs, type Table, toRow } from '../report/table.ts'

const LOOP = plainNode(join(import.meta.dirname, '../contenders/ledgers/pairs-loop.ts'))

const AT_ONCE = 64
const ACCOUNTS = 100
const WARM_UP_SECONDS = 2
const SECONDS = 4
/** The limit is in force, and high enough for one account to go on with. */
const LIMIT = { ...CHAT_LIMIT, requestsMax: 1_000_000 }
const CREDIT_MICRO_RUB = 1_000_000_000_000n

interface Run {
  hot: PairsFigures
  many: PairsFigures
}

interface Ledger {
  name: 'bare' | Checkout['name']
  /** The checkout whose tables are used. */
  checkout: Checkout
}

/** One account that all requests pay from, whose row is where they meet; and many. */
export async function pairs(context: BenchContext): Promise<Table[]> {
  const { checkouts, only } = context
  const [ours] = checkouts.slice(-1)
  if (ours === undefined) return []
  const all: Ledger[] = [
    { name: 'bare', checkout: ours },
    ...checkouts.map((checkout) => ({ name: checkout.name, checkout })),
  ]
  const ledgers = all.filter(({ name }) => only?.has(name) ?? true)
  const runs = await inTurn(ledgers, context, async (ledger) => ({
    hot: await measure(ledger, 1, context),
    many: await measure(ledger, ACCOUNTS, context),
  }))
  return [
    {
      title: 'Holds and their settlements',
      says: `A closed loop of ${AT_ONCE} at once takes and corrects the money of chats for ${SECONDS} s, on one core with PostgreSQL, without HTTP. Ours: the key, the limit, the balance, the hold and its entry; then the hold, the balance and the entry of its end. Bare: a balance and its entry in a transaction, twice. All of it adds up.`,
      columns: ledgers.map(({ name }) => name),
      rows: [
        ...toRows(runs, 'one account', (run) => run.hot),
        ...toRows(runs, `${ACCOUNTS} accounts`, (run) => run.many),
      ],
    },
  ]
}

async function measure(
  { name, checkout }: Ledger,
  accounts: number,
  { database, cores, signal }: BenchContext,
): Promise<PairsFigures> {
  const databaseUrl = await database.create(checkout)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  // Its database may be dropped before its last connection has ended.
  pool.on('error', () => {})
  try {
    const task: PairsTask = {
      ...(name === 'bare' ? {} : { root: checkout.root }),
      databaseUrl,
      postgresPid: database.pid,
      limit: LIMIT,
      atOnce: AT_ONCE,
      warmUpSeconds: WARM_UP_SECONDS,
      seconds: SECONDS,
      payers: await createPayers(checkout, pool, accounts),
    }
    const env = { TASK: JSON.stringify(task) }
    const loop = await startProgram({ program: LOOP, env, core: cores.measured, signal })
    await loop.stop()
    const { rows } = await pool.query('SELECT * FROM service.ledger_fault')
    if (rows.length > 0) throw new Error('A balance is not the sum of its entries')
    const { figures } = JSON.parse(loop.readyLine) as { figures: PairsFigures }
    return figures
  } finally {
    await pool.end()
  }
}

async function createPayers(checkout: Checkout, pool: pg.Pool, count: number) {
  type Accounts = typeof import('../../../src/service/ledger/accounts.ts')
  type ApiKeys = typeof import('../../../src/service/ledger/keys/api-keys.ts')
  const ledger = 'src/service/ledger'
  const { createAccount } = await importFrom<Accounts>(checkout, `${ledger}/accounts.ts`)
  const { createApiKey, toPublicId } = await importFrom<ApiKeys>(
    checkout,
    `${ledger}/keys/api-keys.ts`,
  )
  const payers: { accountId: number; keyId: string }[] = []
  for (let index = 0; index < count; index += 1) {
    const credit = { creditMicroRub: CREDIT_MICRO_RUB }
    const { id: accountId } = await createAccount(pool, { name: `payer ${index}`, ...credit })
    payers.push({ accountId, keyId: toPublicId(await createApiKey(pool, accountId)) ?? '' })
  }
  return payers
}

function toRows(runs: Runs<Run>, name: string, pick: (run: Run) => PairsFigures): Row[] {
  const perPair = (ms: number, { pairs }: PairsFigures) => (ms * 1_000) / pairs
  return [
    toRow(runs, {
      name,
      unit: 'pairs/s',
      goals: [{ is: 'at least', value: 4_000 }],
      pick: (run) => pick(run).pairs / pick(run).seconds,
    }),
    toRow(runs, {
      name: `${name}: the process, 1 pair`,
      unit: 'CPU µs',
      pick: (run) => perPair(pick(run).cpu.processMs, pick(run)),
    }),
    toRow(runs, {
      name: `${name}: PostgreSQL, 1 pair`,
      unit: 'CPU µs',
      pick: (run) => perPair(pick(run).cpu.databaseMs ?? Number.NaN, pick(run)),
    }),
  ]
}
