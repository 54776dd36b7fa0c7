import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SignInAnswer } from '../../../src/bot/admin/dashboard/api.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const ADMIN = 77
const PUBLIC_URL = 'https://bot.example.org'
const LINK = /#link=([\w-]{43})/

async function setUp() {
  const telegram = await openTelegram()
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
  onTestFinished(async () => {
    await telegram.close()
    await rm(dataDir, { recursive: true })
  })
  const env = {
    ...telegram.env,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    PUBLIC_URL,
    ADMIN_IDS: String(ADMIN),
  }
  const start = async () => {
    const kopeck = await startKopeck(env)
    onTestFinished(() => kopeck.kill())
    return kopeck
  }
  return { telegram, start }
}

// Promise: A process ends while somebody looks at its page
test('a link that one process gave signs in at another one, the session outlives both, and a page that is open holds up no stop', async () => {
  const { telegram, start } = await setUp()
  const [first, second] = [await start(), await start()]
  telegram.say(ADMIN, '/dashboard')
  const { replyMarkup } = await telegram.playground.waitFor(({ transcript }) =>
    transcript(ADMIN).find(({ from }) => from === 'bot'),
  )
  const [, link] = LINK.exec(JSON.stringify(replyMarkup)) ?? []

  const outcomes = await Promise.all(
    [first, second].map(({ address }) => signIn(address, { link })),
  )
  await Promise.all([first.stop(), second.stop()])
  const third = await start()

  expect(outcomes.map(({ status }) => status).sort()).toEqual([201, 401])
  const token = outcomes.flatMap(({ body }) => ('token' in body ? body.token : []))[0] ?? ''
  const headers = { authorization: `Bearer ${token}` }
  const me = await fetch(`${third.address}/admin/api/session`, { headers })
  expect([me.status, await me.json()]).toMatchObject([200, { userId: ADMIN, role: 'admin' }])
  expect(telegram.playground.menuButton(ADMIN)).toMatchObject({
    web_app: { url: `${PUBLIC_URL}/admin/` },
  })

  const opened = await signIn(third.address, { initData: telegram.playground.initData(ADMIN) })
  const live = await fetch(`${third.address}/admin/api/live`, {
    headers: { authorization: `Bearer ${'token' in opened.body ? opened.body.token : ''}` },
  })
  const events = live.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  const event = await events?.next()
  const code = await third.stop()

  expect(event?.value).toMatch(/^event: live\ndata: {"today":{"charges":0,/)
  expect(await events?.next()).toMatchObject({ done: true })
  expect(code).toBe(0)
})

async function signIn(address: string, given: object) {
  const response = await fetch(`${address}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: PUBLIC_URL },
    body: JSON.stringify(given),
  })
  return {
    status: response.status,
    body: (await response.json()) as SignInAnswer | { error: string },
  }
}
