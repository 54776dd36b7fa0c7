import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startChatService } from '../../bot/chat-service.ts'
import { openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const WAIT = { timeout: 25_000 }

// Promise: A process loses its lease while it starts
test('a process that loses its lease while it starts replaces itself, and gets ready', {
  timeout: 60_000,
}, async () => {
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  const service = await startChatService()
  onTestFinished(() => service.close())
  const proxy = await openCuttableProxy(Number(new URL(telegram.env.TELEGRAM_API_ROOT).port))
  onTestFinished(() => proxy.cut())
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  onTestFinished(() => pool.end())
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-lost-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const instances = async () => {
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM instance ORDER BY id')
    return rows.map(({ id }) => id)
  }

  // Telegram is away, and so the start cannot go on.
  proxy.cut()
  const starting = startKopeck(
    {
      ...telegram.env,
      TELEGRAM_API_ROOT: `http://127.0.0.1:${proxy.port}`,
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      SERVICE_URL: `http://127.0.0.1:${service.port}/api/v1`,
      SERVICE_API_KEY: 'key',
    },
    ['bot'],
  )
  await expect.poll(() => instances().catch(() => []), WAIT).toHaveLength(1)
  const [first] = await instances()
  await pool.query('DELETE FROM instance')
  await expect.poll(instances, WAIT).toHaveLength(1)
  expect(await instances()).not.toContain(first)
  proxy.mend()

  const bot = await starting
  expect(await bot.stop()).toBe(0)
})

// Promise: A process loses its lease in the middle of work
test('a process that loses its lease where none can replace itself exits with 75', async () => {
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  onTestFinished(() => pool.end())
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-lost-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const service = await startKopeck(
    {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      NODE_OPTIONS: '--import=data:text/javascript,process.execve=undefined',
    },
    ['service'],
  )
  onTestFinished(service.kill)

  await pool.query('DELETE FROM instance')

  expect(await service.exited).toBe(75)
})
