import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, SUSPENDED } from '../../../src/platform/database/database.ts'
import { isDatabaseTrouble, isOutcomeUnknown } from '../../../src/platform/database/trouble.ts'
import { openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { createManualClock } from '../time/manual-clock.ts'
import { createTestDatabase } from './test-database.ts'

async function openBehindProxy() {
  const url = new URL(await createTestDatabase())
  const proxy = await openCuttableProxy(Number(url.port))
  onTestFinished(proxy.cut)
  url.host = `127.0.0.1:${proxy.port}`
  const database = openDatabase({ url: url.href, connectionsMax: 1, onIdleError: () => {} })
  onTestFinished(database.close)
  return { database, proxy }
}

const failureOf = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)

test('suspend() fails what has no answer, what waits for a connection and what comes, all as trouble, until resume()', async () => {
  const { database, proxy } = await openBehindProxy()
  const { pool, suspend, resume, findProblem } = database
  await pool.query('SELECT')
  proxy.hold()
  const asked = [pool.query('SELECT'), pool.query('SELECT')].map(failureOf)

  suspend()
  const failures = await Promise.all([...asked, failureOf(pool.query('SELECT'))])
  proxy.mend()
  const suspended = await failureOf(pool.query('SELECT'))
  resume()

  expect(failures.map(isDatabaseTrouble)).toEqual([true, true, true])
  expect(suspended).toMatchObject({ message: SUSPENDED })
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  expect(findProblem()).toBeUndefined()
})

test('suspend() ends an attempt to connect that has no answer', async () => {
  const { database, proxy } = await openBehindProxy()
  proxy.hold()
  const asked = failureOf(database.pool.query('SELECT'))
  await expect.poll(() => database.pool.totalCount).toBe(1)

  database.suspend()

  expect(isDatabaseTrouble(await asked)).toBe(true)
})

test('a refused connection is a problem until the next connection', async () => {
  const url = await createTestDatabase()
  const { pool, findProblem, close } = openDatabase({ url })
  onTestFinished(close)
  const name = new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: new URL('/postgres', url).href })
  await admin.connect()
  onTestFinished(() => admin.end())
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await expect(pool.query('SELECT')).rejects.toThrow()
  const refused = findProblem()
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)

  await pool.query('SELECT')

  expect([refused, findProblem()]).toEqual(['the database takes no connections', undefined])
})

test('a wait of two seconds for a free connection is a problem', async () => {
  const clock = createManualClock()
  const { pool, findProblem, close } = openDatabase({
    url: await createTestDatabase(),
    connectionsMax: 1,
    clock,
  })
  onTestFinished(close)
  const holder = await pool.connect()
  clock.advance(10_000)
  expect(findProblem()).toBeUndefined()

  const asked = [pool.query('SELECT'), pool.connect().then((client) => client.release())]
  clock.advance(1_999)
  expect(findProblem()).toBeUndefined()
  clock.advance(1)
  expect(findProblem()).toBe('no connection to the database is free')

  holder.release()
  await Promise.all(asked)
  expect(findProblem()).toBeUndefined()
})

test('a connection has its name for the operator, and bounds for its waits', async () => {
  const url = await createTestDatabase()
  const database = openDatabase({ url, use: 'command' })
  onTestFinished(database.close)

  const { rows } = await database.pool.query(
    `SELECT current_setting('application_name') AS name, current_setting('lock_timeout') AS lock,
       current_setting('idle_in_transaction_session_timeout') AS idle`,
  )

  expect(rows).toEqual([{ name: 'kopeck command', lock: '10s', idle: '1min' }])
})

test('reports an idle connection that a server ends, and none of those it is ending itself', async () => {
  const url = await createTestDatabase()
  const reported: string[] = []
  const onIdleError = ({ message }: Error) => void reported.push(message)
  const { pool, close } = openDatabase({ url, onIdleError })
  await pool.query('SELECT')
  const breakIdle = () => pool.emit('error', new Error('cut off'), new pg.Client())
  breakIdle()
  const before = [...reported]

  const closed = close()
  breakIdle()
  await closed

  expect([before, reported]).toEqual([['cut off'], ['cut off']])
})

test('a connection that is taken out and asked nothing may be ended: only its next statement fails', async () => {
  const { database } = await openBehindProxy()
  const other = new pg.Client({ connectionString: await createTestDatabase() })
  await other.connect()
  onTestFinished(() => other.end())
  const client = await database.pool.connect()
  const ended = new Promise((resolve) => client.once('end', resolve))
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')

  await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
  await ended

  expect(client.listenerCount('error')).toBe(1)
  expect(isDatabaseTrouble(await failureOf(client.query('SELECT')))).toBe(true)
  client.release(true)
  await database.pool.query('SELECT')
})

test('a statement for which no connection came was surely not done, also where a proxy takes connections and ends them', async () => {
  const proxy = createServer((socket) => socket.end())
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as AddressInfo
  const { pool, close } = openDatabase({ url: `postgresql://kopeck@127.0.0.1:${port}/kopeck` })
  onTestFinished(close)
  const behind = await openBehindProxy()
  await behind.database.pool.query('SELECT')
  behind.proxy.hold()
  const asked = failureOf(behind.database.pool.query('SELECT'))

  const refused = await failureOf(pool.query('SELECT'))
  behind.proxy.cut()

  expect([isDatabaseTrouble(refused), isOutcomeUnknown(refused)]).toEqual([true, false])
  expect(isOutcomeUnknown(await asked)).toBe(true)
})
