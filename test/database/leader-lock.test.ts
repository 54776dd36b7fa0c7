import { setImmediate as nextTick } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { leadWhenFree } from '../../src/database/leader-lock.ts'
import { openSession, type Session } from '../../src/database/session.ts'
import { createTestDatabase } from './test-database.ts'

/** A process that waits for the lock asks for it again at once. */
const clock = { sleep: (_delayMs: number, signal?: AbortSignal) => nextTick(undefined, { signal }) }

/** Processes on one database that want to lead; `leaders` has those that do, `terms` all that did. */
async function createCandidates() {
  const url = await createTestDatabase()
  const leaders = new Set<string>()
  const terms: string[] = []
  return { url, leaders, terms, start }

  async function start(name: string, lead = untilOver) {
    const session = await openSession({ url, onError: () => {} })
    const stopping = new AbortController()
    const { signal } = stopping
    const led = leadWhenFree((over) => serve(name, () => lead(over)), {
      session,
      clock,
      signal,
    })
    led.catch(() => {})
    onTestFinished(async () => {
      stopping.abort()
      await led.catch(() => {})
      await session.close()
    })
    return { session, led, stop: () => stopping.abort() }
  }

  async function serve(name: string, lead: () => Promise<void>): Promise<void> {
    terms.push(name)
    leaders.add(name)
    await lead().finally(() => leaders.delete(name))
  }
}

function untilOver(over: AbortSignal): Promise<void> {
  return new Promise((_, reject) => over.addEventListener('abort', () => reject(over.reason)))
}

async function breakConnection({ connection }: Session, url: string): Promise<void> {
  const [backend] = (await connection()?.query('SELECT pg_backend_pid() AS pid')) ?? []
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SELECT pg_terminate_backend($1)', [backend?.pid])
  await client.end()
}

test('one process leads at a time, and another one as soon as it stops', async () => {
  const { leaders, terms, start } = await createCandidates()
  const first = await start('first')
  await expect.poll(() => [...leaders]).toEqual(['first'])
  await start('second')

  first.stop()
  await first.led

  await expect.poll(() => [...leaders]).toEqual(['second'])
  expect(terms).toEqual(['first', 'second'])
})

test('a leader whose connection broke is told to end, and may lead again', async () => {
  const { url, leaders, terms, start } = await createCandidates()
  const { session } = await start('only')
  await expect.poll(() => [...leaders]).toEqual(['only'])

  await breakConnection(session, url)

  await expect.poll(() => terms).toEqual(['only', 'only'])
})

test('what a leader throws while it leads ends its candidacy, and another process leads', async () => {
  const { leaders, start } = await createCandidates()
  const { led } = await start('first', async () => {
    throw new Error('cannot lead')
  })

  await expect(led).rejects.toThrow('cannot lead')

  await start('second')
  await expect.poll(() => [...leaders]).toEqual(['second'])
})
