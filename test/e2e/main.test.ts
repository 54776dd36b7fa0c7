import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../src/service/ledger/accounts.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { findFreePort } from '../platform/http/free-port.ts'
import { runKopeck, startKopeck } from './kopeck.ts'
import { openTelegram } from './telegram-user.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-e2e-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true })
})

test('the program starts on embedded parts alone, says so, and stops with 0 leaving nothing behind', async () => {
  const kopeck = await startKopeck({ DATA_DIR: dataDir })
  const health = await fetch(`${kopeck.address}/healthz`)
  // It is said a moment after the line that says that the process is ready.
  await expect.poll(() => kopeck.lines.join('\n')).toContain('npm run demo')

  const code = await kopeck.stop()

  expect(health.status).toBe(200)
  expect(code).toBe(0)
  expect(kopeck.lines.join('\n')).toContain('BOT_TOKEN')
  // A server left behind would still own the folder.
  const again = await startKopeck({ DATA_DIR: dataDir })
  expect(await again.stop()).toBe(0)
})

test('started again without a token, the program answers those who talked to it before', async () => {
  const env = { DATABASE_URL: await createTestDatabase(), DATA_DIR: dataDir }
  for (const _run of ['first', 'second']) {
    const kopeck = await startKopeck(env)
    const findRoot = () => kopeck.lines.flatMap((line) => /^ +(http\S+)$/.exec(line)?.[1] ?? [])[0]
    await expect.poll(findRoot).toBeDefined()
    const chat = `${findRoot()}/playground/chats/1`

    await sendText(`${chat}/messages`, '/stop')

    await expect.poll(() => saidIn(chat)).toContain('Nothing is being')
    await kopeck.stop()
  }
})

test('with a token of Telegram’s the program has no playground', async () => {
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  const port = await findFreePort()
  const DATABASE_URL = await createTestDatabase()
  const own = { DATABASE_URL, DATA_DIR: dataDir, PLAYGROUND_PORT: port }
  const real = await startKopeck({ ...own, ...telegram.env })
  const refused = await fetch(`http://127.0.0.1:${port}/`).catch((error) => error.cause.code)
  const below = await fetch(`${real.address}/playground/chats/1`)
  await real.stop()

  const tried = await startKopeck(own)
  const answered = await fetch(`http://127.0.0.1:${port}/playground/chats/1`)
  await tried.stop()

  expect([refused, below.status, answered.status]).toEqual(['ECONNREFUSED', 404, 200])
})

test('a playground’s port that is taken is said in one sentence', async () => {
  const blocker = createServer()
  onTestFinished(() => void blocker.close())
  await new Promise<void>((done) => blocker.listen(0, '127.0.0.1', done))
  const { port } = blocker.address() as AddressInfo

  const { code, output } = await runKopeck({
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PORT: '0',
    PLAYGROUND_PORT: String(port),
    LOG_LEVEL: 'error',
  })

  expect(code).toBe(1)
  expect(output).toBe(`Cannot start: PLAYGROUND_PORT ${port} on 127.0.0.1 is in use\n`)
})

test('a second program on the same DATA_DIR gets a clear error, and the first goes on', async () => {
  const first = await startKopeck({ DATA_DIR: dataDir })

  const second = await runKopeck({ DATA_DIR: dataDir, PORT: '0' })

  expect(second).toEqual({
    code: 1,
    output: `Cannot start: DATA_DIR "${dataDir}" is in use by another running Kopeck\n`,
  })
  expect((await fetch(`${first.address}/healthz`)).status).toBe(200)
  await first.stop()
})

test('a wrong environment ends with 2, every problem named, no stack trace', async () => {
  const { code, output } = await runKopeck({ BOT_TOKEN: 'secret', PORT: 'x', SERVICE_URL: 'y' })

  expect(code).toBe(2)
  for (const name of ['BOT_TOKEN', 'PORT', 'SERVICE_URL']) expect(output).toContain(`  ${name}: `)
  expect(output).not.toMatch(/secret| at .*\.ts/)
})

test('a port that is taken is said in one sentence', async () => {
  const blocker = createServer()
  await new Promise<void>((done) => blocker.listen(0, '127.0.0.1', done))
  const { port } = blocker.address() as AddressInfo

  const { code, output } = await runKopeck({
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'error',
  })

  blocker.close()
  expect(code).toBe(1)
  expect(output).toBe(`Cannot start: PORT ${port} on 127.0.0.1 is in use\n`)
})

test.each([
  {
    setting: 'PUBLIC_URL',
    env: { WEBHOOK_SECRET: 'secret_1', PUBLIC_URL: 'http://127.0.0.1:3000' },
    reason: /HTTPS URL must be provided/,
  },
  { setting: 'BOT_TOKEN', env: { BOT_TOKEN: '4242:unknown' }, reason: /does not know this token/ },
])('a $setting that Telegram refuses is said in one sentence', async ({ setting, env, reason }) => {
  const telegram = await openTelegram({ webhooks: 'cloud' })
  onTestFinished(() => telegram.close())

  const { code, output } = await runKopeck({
    ...telegram.env,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    ...env,
  })

  expect(code).toBe(1)
  expect(output).toMatch(new RegExp(`^Cannot go on: Telegram refuses ${setting}: .*\\n$`))
  expect(output).toMatch(reason)
  expect(output).not.toMatch(/4242|secret_1/)
})

test('the service role runs alone and answers with the interface', async () => {
  const env = { DATABASE_URL: await createTestDatabase(), DATA_DIR: dataDir }
  const kopeck = await startKopeck(env, ['service'])

  const answer = await fetch(`${kopeck.address}/api/v1/balance`)

  expect(answer.status).toBe(401)
  expect(await answer.json()).toEqual({ detail: expect.any(String) })
  expect(await kopeck.stop()).toBe(0)
})

// Promise: A service starts that nobody has an account at
test('a start tells how to make the first account until there is one beside the bot’s own', async () => {
  const DATABASE_URL = await createTestDatabase()
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  const env = { ...telegram.env, DATABASE_URL, DATA_DIR: dataDir }
  const fresh = await startKopeck(env)
  await expect.poll(() => fresh.lines.join('\n')).toContain('npm run account -- create')
  await fresh.stop()
  const pool = new pg.Pool({ connectionString: DATABASE_URL })
  await createAccount(pool, { name: 'shop', creditMicroRub: 0n })
  await pool.end()

  const next = await startKopeck(env)
  await expect.poll(() => next.lines.join('\n')).toContain('Everybody may talk to the bot.')
  await next.stop()

  expect(next.lines.join('\n')).not.toContain('npm run account -- create')
})

async function sendText(url: string, text: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  await fetch(url, { method: 'POST', headers, body: JSON.stringify({ text }) })
}

async function saidIn(url: string): Promise<string> {
  return (await fetch(url)).text()
}
