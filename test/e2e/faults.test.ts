import { randomInt } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { checkCallbacks } from './faults-check-callbacks.ts'
import { checkLimits } from './faults-check-limits.ts'
import { checkHolds, checkLedger } from './faults-check-money.ts'
import { checkOutcomes, checkRefusals } from './faults-check-requests.ts'
import { checkImagesMade, checkTasks } from './faults-check-tasks.ts'
import { createFaultClient } from './faults-client.ts'
import { planKills } from './faults-kills.ts'
import { makePlan, type Plan } from './faults-plan.ts'
import { openReceiver } from './faults-receiver.ts'
import { type Payer, runPlan } from './faults-run.ts'
import { startTwoServices } from './faults-services.ts'
import { summarize } from './faults-summary.ts'
import { openUpstream } from './faults-upstream.ts'

/** FAULT_REQUESTS=1000 for a long look, which also tells what came of it. */
const REQUESTS = Number(process.env.FAULT_REQUESTS ?? 150)
/** FAULT_SEED repeats the plan and the faults of a run; the race between them is new each time. */
const SEED = process.env.FAULT_SEED ?? String(randomInt(1_000_000))
const REST_TIMEOUT_MS = 120_000

const AT_REST = `
  SELECT NOT EXISTS (SELECT FROM service.hold WHERE state = 'held')
     AND NOT EXISTS (SELECT FROM service.task WHERE status NOT IN ('success', 'fail'))
     AND NOT EXISTS (SELECT FROM service.callback WHERE state = 'pending') AS at_rest`

test('two processes, faults on every side and a kill -9: every rouble is where it belongs, every callback came', {
  timeout: 60_000 + REST_TIMEOUT_MS + REQUESTS * 200,
}, async ({ onTestFailed, onTestFinished }) => {
  onTestFailed(() => console.error(`To repeat: FAULT_SEED=${SEED} FAULT_REQUESTS=${REQUESTS}`))
  const databaseUrl = await createTestDatabase()
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  onTestFinished(() => sql.end())
  const upstream = await openUpstream()
  onTestFinished(() => upstream.close())
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const services = await startTwoServices({
    databaseUrl,
    upstream: upstream.origin,
    receiver: receiver.origin,
  })
  onTestFinished(() => services.close())
  const client = createFaultClient(services.addresses)
  onTestFinished(() => client.close())
  const plan = makePlan({ seed: SEED, count: REQUESTS, receiver: receiver.origin })
  const payers = await createPayers(sql, plan)

  const kills = planKills(services, REQUESTS)
  const reports = await runPlan(plan, { payers, client, seed: SEED, onBegin: kills.before })
  await kills.restarted()
  await expect
    .poll(async () => (await sql.query(AT_REST)).rows[0]?.at_rest, { timeout: REST_TIMEOUT_MS })
    .toBe(true)

  if (process.env.FAULT_REQUESTS) console.info(`seed ${SEED}\n${await summarize(sql, reports)}`)
  expect(services.kills).toHaveLength(kills.count)
  checkOutcomes(reports, services)
  checkRefusals(reports)
  await checkLimits(sql, reports)
  await checkLedger(sql)
  await checkHolds(sql, reports, payers)
  await checkTasks(sql, reports, services)
  checkImagesMade(upstream.imagesMade)
  await checkCallbacks(sql, reports, receiver.received)
  expect(await services.stop()).toEqual([0, 0])
  await checkLedger(sql)
})

async function createPayers(sql: pg.Pool, { accounts }: Plan): Promise<Payer[]> {
  return await Promise.all(
    accounts.map(async (account) => {
      const { id: accountId } = await createAccount(sql, account)
      return { accountId, apiKey: await createApiKey(sql, accountId) }
    }),
  )
}
