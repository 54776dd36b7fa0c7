import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ActiveRole } from '../../../../src/platform/database/instance/active-role.ts'
import { registerInstance } from '../../../../src/platform/database/instance/instance.ts'
import { createTestDatabase } from '../test-database.ts'
import { endInstance } from './end-instance.ts'

async function createProcesses() {
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  onTestFinished(() => pool.end())
  return { pool, start }

  async function start() {
    const instance = await registerInstance({ url, onError: () => {}, works: ['bot'] })
    const role = new ActiveRole({ pool, instance, log: { warn: () => {} } })
    onTestFinished(async () => {
      await role.handOver()
      await instance.release()
    })
    role.untilTaken().catch(() => {})
    return { instance, role }
  }
}

test('one of two processes is active; when it stops, the second is active within two seconds, while the first ends its work', async () => {
  const { start } = await createProcesses()
  const first = await start()
  await expect.poll(() => first.role.isActive()).toBe(true)
  const second = await start()
  expect(second.role.isActive()).toBe(false)

  await first.role.handOver()

  expect(first.role.isActive()).toBe(false)
  expect(first.role.over.aborted).toBe(true)
  await expect.poll(() => second.role.isActive(), { timeout: 2_000 }).toBe(true)
  expect(first.instance.lost.aborted).toBe(false)
})

test('two processes share the pace during a hand-over, and only then', async () => {
  const { start } = await createProcesses()
  const first = await start()
  await expect.poll(() => first.role.isActive()).toBe(true)
  expect(first.role.share()).toBe(1)
  const second = await start()
  await expect.poll(() => first.instance.others().length, { timeout: 5_000 }).toBe(1)
  await expect.poll(() => first.role.share(), { timeout: 5_000 }).toBe(1)

  await first.role.handOver()
  await expect.poll(() => second.role.isActive()).toBe(true)

  expect([first.role.share(), second.role.share()]).toEqual([0.5, 0.5])
  await expect.poll(() => second.instance.others()[0]?.handsOver, { timeout: 5_000 }).toBe(true)
  expect([first.role.share(), second.role.share()]).toEqual([0.5, 0.5])
  await first.instance.release()
  await expect.poll(() => second.role.share(), { timeout: 5_000 }).toBe(1)
})

test('a process whose lease has ended is no longer active, and a standby takes over', async () => {
  const { pool, start } = await createProcesses()
  const first = await start()
  await expect.poll(() => first.role.isActive()).toBe(true)
  const second = await start()

  await endInstance(pool, first.instance)

  await expect.poll(() => second.role.isActive()).toBe(true)
  await expect.poll(() => first.role.isActive(), { timeout: 5_000 }).toBe(false)
  expect(first.role.over.aborted).toBe(true)
})
