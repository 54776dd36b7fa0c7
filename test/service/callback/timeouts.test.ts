import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addInstanceRow } from '../../../src/platform/database/instance/instance-row.ts'
import { createCallbacks } from '../../../src/service/callback/callbacks.ts'
import { openTestDatabase, type TestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { createVisitsByHand } from '../../platform/jobs/visits-by-hand.ts'
import { fundedAccount } from '../ledger/ledger-fixture.ts'

let database: TestDatabase
let server: Server
const sockets: Socket[] = []

beforeEach(async () => {
  database = openTestDatabase({ url: await createTestDatabase() })
  // It takes every connection and never says a word.
  server = createServer((socket) => sockets.push(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  vi.useRealTimers()
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
  await database.close()
})

test.each([
  ['https', 5000, 'connect_timeout'],
  ['http', 10_000, 'read_timeout'],
] as const)('a silent %s receiver is given up after %i ms: %s', async (scheme, ms, failure) => {
  const pair = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const taskId = await endedTask(`${scheme}://${pair}/`)
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const id = await addInstanceRow(
    { query: async (sql, values) => (await database.pool.query(sql, values)).rows },
    { name: undefined, works: [] },
  )
  const instance = { id, leased: async () => {} }
  const { dueRows, visit } = createVisitsByHand({ pool: database.pool, leaseOwner: instance.id })
  const callbacks = createCallbacks({ database, instance, dueRows, allow: new Set([pair]), log })
  callbacks.start()
  const spoken = new Promise<void>((done) => {
    server.once('connection', (socket) => socket.once('data', () => done()))
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  const delivering = visit('service.callback', taskId)
  await spoken
  vi.advanceTimersByTime(ms - 1)
  const before = await attemptOf(taskId)
  vi.advanceTimersByTime(1)
  await delivering

  expect(before).toEqual({ failure: null })
  expect(await attemptOf(taskId)).toEqual({ failure })
})

async function endedTask(callbackUrl: string): Promise<number> {
  const { rows } = await database.pool.query<{ id: number }>(
    `WITH task AS (
       INSERT INTO service.task (account_id, endpoint, params, label, price_micro_rub, files,
         status, ended_at, callback_url)
       VALUES ($1, 'images/imagegen-generate', '{}', 'imagegen', 0, '{}', 'success', now(), $2)
       RETURNING id)
     INSERT INTO service.callback (task_id, body, due_at) SELECT id, '{}', now() FROM task RETURNING task_id AS id`,
    [await fundedAccount(database.pool, 0n), callbackUrl],
  )
  const [row] = rows
  if (row === undefined) throw new Error('There is no task')
  return row.id
}

async function attemptOf(taskId: number) {
  const { rows } = await database.pool.query(
    'SELECT failure FROM service.callback_attempt WHERE task_id = $1',
    [taskId],
  )
  return rows[0]
}
