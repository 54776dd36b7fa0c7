import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/platform/database/database.ts'
import { withLane } from '../../../src/service/ledger/batch/lane.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'
import { takeOverHolds } from '../../../src/service/ledger/take-over-holds.ts'
import { openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createRandom, fundedAccount, ledgerFaults } from '../../service/ledger/ledger-fixture.ts'
import { isBatch } from '../../service/ledger/open-ledger.ts'
import { expectTruth } from './expect-truth.ts'
import { type GivenOutcome, makeRequests } from './requests.ts'

const ROUNDS = 6
const PROGRAM = join(import.meta.dirname, 'request-process.ts')
/** No process has it, so the holds may be taken over at any time. */
const DEAD = 0
const COUNT = 40

let url: URL
let pool: pg.Pool

beforeAll(async () => {
  const database = await createTestDatabase()
  url = new URL(database)
  url.searchParams.set('application_name', 'victim')
  pool = new pg.Pool({ connectionString: database, max: 4 })
})
afterAll(() => pool.end())

interface Round {
  accounts: number[]
  given: GivenOutcome[]
  /** Moments within the milliseconds that a batch takes, in an order of its own for each kind of kill. */
  moment: () => Promise<void>
  random: (below: number) => number
}

type Victim = (round: Round) => Promise<void>

const VICTIMS: [string, Victim][] = [
  ['the answer of a batch is lost', losesAnswer],
  ['its connections are cut', isCutOff],
  ['its backends are ended', losesBackends],
  ['it is killed', isKilled],
  ['it is frozen', isFrozen],
]

// Promise: A process is killed, frozen or cut off between a batch and its answer, or its backend ends
test.each(VICTIMS)(
  'two processes of the ledger on the same accounts keep every promise where of one %s',
  async (name, victim) => {
    const random = createRandom(name.length)
    for (let round = 0; round < ROUNDS; round += 1) {
      const accounts = [await fundedAccount(pool, 1500n), await fundedAccount(pool, 1500n)]
      const given: GivenOutcome[] = []
      const moment = () => delay(random(12))
      const requests = { accounts, count: COUNT, leaseOwner: DEAD }
      const other = makeRequests(withLane(pool), requests, (each) => given.push(each))

      await Promise.all([victim({ accounts, given, moment, random }), other])

      // A statement goes on for a while when no process waits for it any more.
      await expect.poll(countBackends).toBe(0)
      await expectTruth(pool, given)
      expect(await ledgerFaults(pool)).toEqual([])
      await takeOverHolds(pool)
      await expectTruth(pool, given)
      expect(await ledgerFaults(pool)).toEqual([])
      expect(await leftOf(accounts)).toEqual({ open: 0, overdrawn: 0, differing: 0 })
    }
  },
)

async function losesAnswer({ accounts, given, random }: Round): Promise<void> {
  const database = openDatabase({ url: url.href })
  let until = random(4)
  const query = (async (config: pg.QueryConfig, values: unknown[]) => {
    const result = await database.pool.query(config, values)
    if (isBatch(config) && until-- === 0) throw new Error('Connection terminated unexpectedly')
    return result
  }) as Sql['query']
  await requestsOver({ query }, { accounts, given })
  await database.close()
}

async function isCutOff({ accounts, given, moment }: Round): Promise<void> {
  const proxy = await openCuttableProxy(Number(url.port))
  const detour = new URL(url)
  detour.port = String(proxy.port)
  const database = openDatabase({ url: detour.href })
  const requests = requestsOver(database.pool, { accounts, given })
  await moment()
  proxy.cut()
  await requests
  await database.close()
}

async function losesBackends({ accounts, given, moment }: Round): Promise<void> {
  const database = openDatabase({ url: url.href })
  const requests = requestsOver(database.pool, { accounts, given })
  await moment()
  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'",
  )
  await requests
  await database.close()
}

async function isKilled({ accounts, given, moment }: Round): Promise<void> {
  const { child, exited } = await startProcess(accounts, given)
  await moment()
  child.kill('SIGKILL')
  await exited
}

/** Others take over from it meanwhile, and have ended what they do before it comes back. */
async function isFrozen({ accounts, given, moment }: Round): Promise<void> {
  const { child, exited } = await startProcess(accounts, given)
  await moment()
  child.kill('SIGSTOP')
  await requestsOver(pool, { accounts, given })
  await takeOverHolds(pool)
  child.kill('SIGCONT')
  expect(await exited).toEqual([0, null])
}

function requestsOver(sql: Sql, { accounts, given }: Pick<Round, 'accounts' | 'given'>) {
  const requests = { accounts, count: COUNT, leaseOwner: DEAD }
  return makeRequests(withLane(sql), requests, (each) => given.push(each))
}

async function startProcess(accounts: readonly number[], given: GivenOutcome[]) {
  const child: ChildProcess = fork(PROGRAM, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const exited = once(child, 'exit')
  const begun = Promise.withResolvers<void>()
  child.on('message', (message: GivenOutcome | 'begins') => {
    if (message === 'begins') begun.resolve()
    else given.push(message)
  })
  child.send({ url: url.href, accounts: [...accounts], count: COUNT, leaseOwner: DEAD })
  await begun.promise
  return { child, exited }
}

async function countBackends(): Promise<number> {
  const { rows } = await pool.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'victim'",
  )
  return rows[0].count
}

async function leftOf(accounts: readonly number[]) {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM service.request WHERE account_id = ANY($1) AND state = 'held') AS open,
       count(*) FILTER (WHERE balance_micro_rub < 0)::int AS overdrawn,
       count(*) FILTER (WHERE 1500 - balance_micro_rub <> COALESCE((
         SELECT sum(cost_micro_rub) FROM service.request WHERE account_id = account.id), 0) + COALESCE((
         SELECT sum(price_micro_rub) FROM service.task WHERE account_id = account.id), 0))::int AS differing
     FROM service.account WHERE id = ANY($1)`,
    [accounts],
  )
  return rows[0]
}
