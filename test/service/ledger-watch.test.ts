import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/platform/database/database.ts'
import { readLastCheck } from '../../src/service/ledger/check.ts'
import { createMetrics } from '../../src/service/metrics.ts'
import { Upkeep } from '../../src/service/upkeep.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { createVisitsByHand } from '../platform/database/visits-by-hand.ts'
import { fundedAccount, untilSomebodyWaits } from './ledger/ledger-fixture.ts'

const HOUR_MS = 60 * 60_000

let url: string
let pool: pg.Pool

beforeEach(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
  // Only a process that lives leases rows.
  await pool.query(
    "INSERT INTO public.instance (id, works) VALUES (1, '{service}'), (2, '{service}')",
  )
})
afterEach(() => pool.end())

function addProcess(leaseOwner: number, itsPool = pool) {
  const { dueRows, visitAll } = createVisitsByHand({ pool, leaseOwner })
  const error = vi.fn()
  const log = { info() {}, warn() {}, error }
  const removeFiles = async () => {}
  const onDifference = () => {}
  new Upkeep({ pool: itsPool, dueRows, config: {}, removeFiles, onDifference, log }).start()
  return { error, visitAll: () => visitAll('service.ledger_check') }
}

async function readGauges(): Promise<string[]> {
  const metrics = createMetrics({
    readTaskFigures: async () => [],
    readLastCheck: () => readLastCheck(pool),
    readDiskBytes: async () => undefined,
    listRests: () => [],
  })
  const lines = (await metrics.text()).split('\n')
  return lines.filter((line) => line.startsWith('kopeck_ledger_'))
}

async function dueInMs(): Promise<number> {
  const { rows } = await pool.query(
    'SELECT extract(epoch FROM due_at - now())::float8 * 1000 AS "dueInMs" FROM service.ledger_check',
  )
  return rows[0].dueInMs
}

test('the ledger is checked once an hour by whichever process, and its faults are a gauge of every one', async () => {
  const accountId = await fundedAccount(pool, 1000n)
  const [process, other] = [addProcess(1), addProcess(2)]
  const before = await readGauges()

  await process.visitAll()
  const right = await readGauges()
  await pool.query('UPDATE service.account SET balance_micro_rub = 999')
  await other.visitAll()

  expect(before).toEqual([])
  expect(right).toEqual([
    'kopeck_ledger_faults 0',
    expect.stringMatching(/^kopeck_ledger_checked_timestamp_seconds 1\d{9}/),
  ])
  expect((await readGauges())[0]).toBe('kopeck_ledger_faults 1')
  expect(process.error).not.toHaveBeenCalled()
  expect(other.error.mock.calls).toEqual([
    [{ faults: 1, accounts: [accountId] }, 'the ledger has faults'],
  ])
  expect(await dueInMs()).toBeGreaterThan(HOUR_MS - 60_000)
})

test('a check whose connection breaks is made again, and nothing else breaks with it', async () => {
  const database = openDatabase({ url })
  const { visitAll } = addProcess(1, database.pool)
  const other = await pool.connect()
  await other.query('BEGIN; LOCK TABLE service.adjustment')

  const visiting = visitAll()
  await untilSomebodyWaits(pool)
  database.suspend()
  await visiting
  database.resume()
  const broken = await readLastCheck(pool)
  await other.query('ROLLBACK')
  other.release()
  await visitAll()

  expect(broken).toBeUndefined()
  expect(await readLastCheck(pool)).toMatchObject({ faults: 0 })
  await database.close()
})
