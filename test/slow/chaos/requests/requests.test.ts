import pg from 'pg'
import { expect, test } from 'vitest'
import { createAccount } from '../../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import { describeBills, listEstimates } from '../bills.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { openUpstream } from '../unsteady-upstream.ts'
import { checkBills } from './check-bills.ts'
import { checkCallbacks } from './check-callbacks.ts'
import { checkLimits } from './check-limits.ts'
import { checkHolds, checkLedger } from './check-money.ts'
import { checkOutcomes, checkRefusals } from './check-requests.ts'
import { checkImagesMade, checkTasks } from './check-tasks.ts'
import { createFaultClient } from './client.ts'
import { planKills } from './kills.ts'
import { makePlan, type Plan } from './plan.ts'
import { openReceiver } from './receiver.ts'
import { type Payer, runPlan } from './run.ts'
import { startTwoServices } from './services.ts'
import { summarize } from './summary.ts'

const REQUESTS = IS_LONG ? 1_000 : 150
const REST_TIMEOUT_MS = 120_000

/** What is not at rest yet, with all that is stored of it: it explains a run that never comes to rest. */
const UNFINISHED = `
  SELECT 'hold' AS kind, to_jsonb(hold) AS stored
    FROM service.request AS hold WHERE ended_at IS NULL
  UNION ALL
  SELECT 'task', to_jsonb(task) FROM service.task WHERE status NOT IN ('success', 'fail')
  UNION ALL
  SELECT 'callback', to_jsonb(callback) FROM service.callback WHERE state = 'pending'`

test('two processes, faults on every side and a kill -9: every rouble is where it belongs, every callback came', {
  timeout: 60_000 + REST_TIMEOUT_MS + REQUESTS * 200,
}, async ({ onTestFailed, onTestFinished }) => {
  onTestFailed(() => console.error(REPEAT))
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
    .poll(async () => (await sql.query(UNFINISHED)).rows, { timeout: REST_TIMEOUT_MS })
    .toEqual([])

  if (IS_LONG) console.info(`seed ${SEED}\n${await summarize(sql, reports)}`)
  expect(services.kills).toHaveLength(kills.count)
  checkOutcomes(reports, services)
  checkRefusals(reports)
  await checkLimits(sql, reports)
  await checkLedger(sql)
  await checkHolds(sql, reports, payers)
  const { chats } = upstream
  const bills = await checkBills(sql, reports, { chats, kills: services.kills })
  process.stdout.write(`Chats cost for ${describeBills(bills)}${listEstimates(bills)}`)
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
