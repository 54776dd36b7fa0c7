import pg from 'pg'
import { expect, test } from 'vitest'
import { createAccount } from '../../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'
import type { Responder } from '../../../service/providers/openai-server.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom } from '../random.ts'
import { CHAT_FAULT_NAMES, playChat } from '../upstream-chats.ts'
import { openUpstream } from '../upstream-works.ts'
import { checkCallbacks, openReceiver } from './callbacks.ts'
import { checkHolds, checkLedger } from './check-money.ts'
import { checkImagesMade, checkTasks } from './check-tasks.ts'
import { createFaultClient, type Report } from './client.ts'
import { makePlan, type Plan } from './plan.ts'
import { type Payer, runPlan } from './run.ts'
import { planKills, startTwoServices, type TwoServices } from './services.ts'

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
  const upstream = await openUpstream(playLastMessage)
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

  expect(services.kills).toHaveLength(kills.count)
  checkOutcomes(reports, services)
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

/** Plays the fault that is the second word of the last message. */
function playLastMessage(body: unknown): Responder {
  const { messages } = body as { messages: { content: string }[] }
  const content = messages.at(-1)?.content ?? ''
  const name = CHAT_FAULT_NAMES.find((each) => each === content.split(' ')[1])
  if (name === undefined) throw new RangeError(`Cannot play "${content}": no such fault`)
  const random = createRandom(content)
  const words = Array.from({ length: random.integer(1, 6) }, () => random.pick(['рубль ', '🪙']))
  return playChat(name, words, random)
}

/** Every request came out as planned: left only by who leaves, cut only by a kill. */
function checkOutcomes(reports: readonly Report[], { kills }: Pick<TwoServices, 'kills'>) {
  const wrong = reports.filter((report) => !isRight(report))
  expect(wrong.map(describe)).toEqual([])

  function isRight({ planned, outcome, instance, sentAt, endedAt }: Report): boolean {
    if (planned.expected.includes(outcome)) return true
    if (outcome === 'left') return planned.leavesAfterMs !== undefined
    const isKilled = kills.some(
      (kill) => kill.instance === instance && sentAt <= kill.endedAt && kill.beganAt <= endedAt,
    )
    return outcome === 'cut' && isKilled
  }
}

function describe({ planned, outcome, instance, text }: Report): string {
  const { index, method, path, body = '', expected } = planned
  const asked = `${index}: ${method} ${path} ${body.slice(0, 200)} at ${instance}`
  return `${asked} is ${outcome}, expected ${expected.join(' or ')}: ${text.slice(0, 200)}`
}
