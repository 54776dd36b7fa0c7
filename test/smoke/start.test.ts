import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { runKopeck, startKopeck } from '../support/kopeck.ts'
import { openTelegram } from '../support/telegram-user.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true })
})

test('the program starts on embedded parts alone, says so, keeps its folder for itself, and stops with 0: started again it answers those who talked to it before', async () => {
  const env = { DATA_DIR: dataDir, PLAYGROUND_PORT: await findFreePort() }
  const chat = `http://127.0.0.1:${env.PLAYGROUND_PORT}/playground/chats/1`
  const first = await startKopeck(env)
  // It is printed a moment after the line that reports the process as ready.
  await expect.poll(() => first.lines.join('\n')).toContain('npm run demo')
  expect(first.lines.join('\n')).toContain('BOT_TOKEN')
  await sendText(`${chat}/messages`, '/stop')
  await expect.poll(() => answersIn(chat)).toBe(1)

  const second = await runKopeck({ DATA_DIR: dataDir, PORT: '0' })

  expect(second).toEqual({
    code: 2,
    output: `Cannot start: DATA_DIR "${dataDir}/playground" is in use by another running Kopeck\n`,
  })
  expect((await fetch(`${first.address}/healthz`)).status).toBe(200)
  expect(await first.stop()).toBe(0)
  // A server left behind would own the folder.
  const again = await startKopeck(env)
  await sendText(`${chat}/messages`, '/stop')
  await expect.poll(() => answersIn(chat)).toBe(2)
  expect(await again.stop()).toBe(0)
})

test('with a token of Telegram’s the program has no playground, and says nothing of customers', async () => {
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  const env = {
    ...telegram.env,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PLAYGROUND_PORT: await findFreePort(),
  }
  const fresh = await startKopeck(env)
  await expect.poll(() => fresh.lines.join('\n')).toContain('Everybody may talk to the bot.')
  const root = `http://127.0.0.1:${env.PLAYGROUND_PORT}/`
  const refused = await fetch(root).catch((error) => error.cause.code)
  const below = await fetch(`${fresh.address}/playground/chats/1`)
  await fresh.stop()

  expect([refused, below.status]).toEqual(['ECONNREFUSED', 404])
  expect(fresh.lines.join('\n')).not.toContain('npm run account -- create')
})

async function sendText(url: string, text: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  await fetch(url, { method: 'POST', headers, body: JSON.stringify({ text }) })
}

/** How often the bot has answered that there is nothing to stop. */
async function answersIn(chat: string): Promise<number> {
  return (await (await fetch(chat)).text()).split('Nothing is being').length - 1
}
