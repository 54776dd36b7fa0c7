import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  openSession,
  type SessionConnection,
  type SessionDeps,
} from '../../../../src/platform/database/instance/session.ts'
import { createManualClock } from '../../time/manual-clock.ts'
import { createTestDatabase } from '../test-database.ts'

const QUERY = 'Q'.charCodeAt(0)
const BACKEND_SQL = 'SELECT pg_backend_pid() AS pid'

let url: string

beforeAll(async () => {
  url = await createTestDatabase()
})

async function start(deps: Partial<SessionDeps> = {}) {
  const errors: Error[] = []
  const session = await openSession({ url, onError: (error) => errors.push(error), ...deps })
  onTestFinished(session.close)
  return { session, errors }
}

async function backendOf(connection: SessionConnection | undefined): Promise<number> {
  const [backend] = (await connection?.query<{ pid: number }>(BACKEND_SQL)) ?? []
  return backend?.pid ?? 0
}

async function readBackend(client: pg.Client): Promise<number> {
  return (await client.query(BACKEND_SQL)).rows[0]?.pid
}

async function endBackend(pid: number): Promise<void> {
  await ask('SELECT pg_terminate_backend($1)', pid)
}

async function isConnected(pid: number): Promise<boolean> {
  return (await ask('SELECT FROM pg_stat_activity WHERE pid = $1', pid)) > 0
}

async function ask(sql: string, pid: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, [pid])).rowCount ?? 0
  } finally {
    await client.end()
  }
}

interface Faults {
  breaks?: number
  ignores?: number
}

async function openFaultyProxy(url: string, { breaks, ignores }: Faults) {
  const { port } = new URL(url)
  let connections = 0
  const server = createServer((near) => {
    const isFaulty = ++connections === breaks
    if (connections === ignores) return void near.resume()
    const far = connect(Number(port), '127.0.0.1')
    for (const socket of [near, far]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (chunk) => {
      if (isFaulty && chunk[0] === QUERY) near.destroy()
    })
    near.pipe(far)
    far.pipe(near)
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxy = new URL(url)
  proxy.hostname = '127.0.0.1'
  proxy.port = String((server.address() as AddressInfo).port)
  return { url: proxy.href, connections: () => connections }
}

test('a session prepares the connection it has and each that replaces it', async () => {
  const { session, errors } = await start()
  const prepared: number[] = []
  await session.onConnect(async (client) => void prepared.push(await readBackend(client)))
  const first = session.connection()

  await endBackend(prepared[0] ?? 0)
  await expect.poll(() => prepared.length).toBe(2)

  expect(new Set(prepared).size).toBe(2)
  expect(errors).toHaveLength(1)
  expect(first?.lost.aborted).toBe(true)
  await expect.poll(() => backendOf(session.connection())).toBe(prepared[1])
})

test('a new connection of a session that breaks before it is prepared is replaced after a wait', async () => {
  const proxy = await openFaultyProxy(url, { breaks: 2 })
  const clock = createManualClock()
  const { session, errors } = await start({ url: proxy.url, clock })
  const prepared: number[] = []
  await session.onConnect(async (client) => void prepared.push(await readBackend(client)))

  await endBackend(prepared[0] ?? 0)
  await clock.untilAsleep()
  clock.advance(1000)
  await expect.poll(() => prepared.length).toBe(2)

  expect(errors).toHaveLength(2)
  expect(proxy.connections()).toBe(3)
})

test('a session whose connection cannot be prepared replaces it, and ends the one that failed', async () => {
  const { session, errors } = await start()
  const seen: number[] = []

  await session.onConnect(async (client) => {
    if (seen.push(await readBackend(client)) === 1) throw new Error('not prepared')
  })

  expect(errors.map(({ message }) => message)).toEqual(['not prepared'])
  await expect.poll(() => isConnected(seen[0] ?? 0)).toBe(false)
  expect(await isConnected(seen[1] ?? 0)).toBe(true)
})

test('a session does one thing at a time, in the order in which it was asked', async () => {
  const { session } = await start()
  const done: string[] = []

  await Promise.all([
    session.onConnect(async (client) => {
      await client.query('SELECT pg_sleep(0.05)')
      done.push('first')
    }),
    session
      .connection()
      ?.query('SELECT 1')
      .then(() => done.push('second')),
    session.onConnect(async (client) => {
      await client.query('SELECT 1')
      done.push('third')
    }),
  ])

  expect(done).toEqual(['first', 'second', 'third'])
})

test('close() ends the connection of a session, which is not replaced, and may be repeated', async () => {
  const { session, errors } = await start()
  const connection = session.connection()
  const backend = await backendOf(connection)

  await Promise.all([session.close(), session.close()])

  expect([session.connection(), connection?.lost.aborted]).toEqual([undefined, true])
  await expect.poll(() => isConnected(backend)).toBe(false)
  expect(errors).toEqual([])
})

test('close() ends the wait for the next attempt to connect', async () => {
  const proxy = await openFaultyProxy(url, { breaks: 2 })
  const clock = createManualClock()
  const { session } = await start({ url: proxy.url, clock })
  await endBackend(await backendOf(session.connection()))
  await clock.untilAsleep()

  await session.close()

  expect(proxy.connections()).toBe(2)
})

test('close() ends an attempt to connect that has no answer yet', async () => {
  const proxy = await openFaultyProxy(url, { ignores: 2 })
  const { session } = await start({ url: proxy.url })
  await endBackend(await backendOf(session.connection()))
  await expect.poll(proxy.connections).toBe(2)

  await session.close()

  expect(session.connection()).toBeUndefined()
})
