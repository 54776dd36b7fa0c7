import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { startKopeck } from '../support/kopeck.ts'
import { openTelegram } from '../support/telegram-user.ts'

const USER = 900

test('by webhook a text is answered, also after the process that Telegram knew was killed', {
  timeout: 90_000,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-webhook-'))
  const telegram = await openTelegram()
  const port = await findFreePort()
  const env = {
    ...telegram.env,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    WEBHOOK_SECRET: 'webhook_secret',
  }
  onTestFinished(async () => {
    await telegram.close()
    await rm(dataDir, { recursive: true })
  })
  const database = new Pool({ connectionString: env.DATABASE_URL })
  onTestFinished(() => database.end())
  const answered = async (textId: number) => {
    await expect.poll(() => telegram.answers(USER, textId).length, { timeout: 30_000 }).toBe(1)
    // A reply of which a killed process did not know the message would be sent again.
    await expect.poll(countOpen, { timeout: 30_000 }).toBe(0)
  }
  async function countOpen(): Promise<number | null> {
    return (await database.query('SELECT FROM bot.turn WHERE ended_at IS NULL')).rowCount
  }

  const first = await startKopeck(env)
  await answered(telegram.say(USER, 'Hello'))
  await first.kill()
  const missed = telegram.say(USER, 'Are you there?')
  const second = await startKopeck(env)
  await answered(missed)
  const forged = await fetch(`${second.address}/telegram/webhook`, { method: 'POST', body: '{}' })

  expect(forged.status).toBe(401)
  expect(telegram.playground.calls.some(({ method }) => method === 'getUpdates')).toBe(false)
  expect(await second.stop()).toBe(0)
})
