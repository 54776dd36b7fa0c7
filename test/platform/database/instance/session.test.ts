import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  openSession,
  type SessionConnection,
  type SessionDeps,
} from '../../../../src/platform/database/instance/session.ts'
import { createTestDatabase } from '../test-database.ts'

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

test('close() ends the connection of a session, which is not replaced, and may be repeated', async () => {
  const { session, errors } = await start()
  const connection = session.connection()
  const backend = await backendOf(connection)

  await Promise.all([session.close(), session.close()])

  expect([session.connection(), connection?.lost.aborted]).toEqual([undefined, true])
  await expect.poll(() => isConnected(backend)).toBe(false)
  expect(errors).toEqual([])
})
