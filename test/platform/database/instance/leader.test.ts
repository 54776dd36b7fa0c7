import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { registerInstance } from '../../../../src/platform/database/instance/instance.ts'
import { createNotifications } from '../../../../src/platform/database/instance/notifications.ts'
import { leadWhenFree, startSweep } from '../../../../src/platform/database/instance/sweep.ts'
import { createTestDatabase } from '../test-database.ts'
import { endInstance } from './end-instance.ts'

async function createCandidates() {
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  const leaders = new Set<string>()
  const terms: string[] = []
  return { pool, leaders, terms, start }

  async function start(name: string, lead = untilOver) {
    const instance = await registerInstance({ url, onError: () => {} })
    const notifications = createNotifications(instance.session)
    const sweep = startSweep({ notifications, log: { error: () => {} } })
    const stopping = new AbortController()
    const { signal } = stopping
    const led = leadWhenFree((over) => serve(name, () => lead(over)), {
      pool,
      instance,
      sweep,
      signal,
    })
    led.catch(() => {})
    const end = async () => {
      stopping.abort()
      await led.catch(() => {})
      await sweep.stop()
      await instance.release()
    }
    onTestFinished(end)
    return { instance, led, end, stop: () => stopping.abort() }
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

test('one process leads at a time, and another one as soon as it has ended', async () => {
  const { leaders, terms, start } = await createCandidates()
  const first = await start('first')
  await expect.poll(() => [...leaders]).toEqual(['first'])
  await start('second')

  await first.end()

  await expect.poll(() => [...leaders]).toEqual(['second'])
  expect(terms).toEqual(['first', 'second'])
})

// Promise: Processes behind a load balancer are stopped and started
test('a leader that stops hands its lead on at once, while it ends what it has begun', async () => {
  const { leaders, start } = await createCandidates()
  const first = await start('first')
  await expect.poll(() => [...leaders]).toEqual(['first'])
  await start('second')

  first.stop()

  await expect.poll(() => [...leaders]).toEqual(['second'])
  expect(first.instance.lost.aborted).toBe(false)
})

// Promise: A process freezes: a paused machine, SIGSTOP
test('a leader that hangs is overtaken when its lease has ended, although its session lives', async () => {
  const { pool, leaders, start } = await createCandidates()
  const gate = Promise.withResolvers<void>()
  const { instance } = await start('hung', () => gate.promise)
  onTestFinished(() => gate.resolve())
  await expect.poll(() => [...leaders]).toEqual(['hung'])
  await start('second')

  await endInstance(pool, instance)

  await expect.poll(() => [...leaders]).toEqual(['hung', 'second'])
})

test('a leader that has lost its lease is made to end', async () => {
  const { pool, leaders, start } = await createCandidates()
  const { instance, led } = await start('only')
  await expect.poll(() => [...leaders]).toEqual(['only'])

  await endInstance(pool, instance)
  await led

  expect([...leaders]).toEqual([])
})
