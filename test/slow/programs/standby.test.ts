import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startChatService } from '../../bot/chat-service.ts'
import { openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { type Kopeck, NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const USER = 5001
const OTHER = 5002
const TAKE_OVER_MS = 10_000
const HAND_OVER_MS = 2_000
const SIGHT_MS = 60_000

/** Telegram, a service, and two bots on one database; the first is active. */
async function openProcesses() {
  const telegram = await openTelegram()
  const service = await startChatService()
  const telegramPort = Number(new URL(telegram.env.TELEGRAM_API_ROOT).port)
  const proxies = await Promise.all(
    [telegramPort, service.port].map((port) => openCuttableProxy(port)),
  )
  const [ofTelegram, ofService] = proxies
  const dataDir = await makeFolder()
  const env = {
    ...telegram.env,
    ...NO_SERVICE_LIMITS,
    DATABASE_URL: await createTestDatabase(),
    SERVICE_API_KEY: 'key',
  }
  onTestFinished(async () => {
    for (const proxy of proxies) proxy.cut()
    await service.close()
    await telegram.close()
  })
  const first = await start('first', `http://127.0.0.1:${service.port}/api/v1`)
  const second = await start('second', `http://127.0.0.1:${ofService?.port}/api/v1`, {
    TELEGRAM_API_ROOT: `http://127.0.0.1:${ofTelegram?.port}`,
  })
  return { telegram, service, proxies, first, second }

  async function start(name: string, serviceUrl: string, more: Record<string, string> = {}) {
    const own = { DATA_DIR: join(dataDir, name), SERVICE_URL: serviceUrl }
    const kopeck = await startKopeck({ ...env, ...own, ...more }, ['bot'])
    onTestFinished(async () => {
      kopeck.thaw()
      await kopeck.kill()
    })
    return kopeck
  }
}

async function untilActive({ lines }: Kopeck, timeoutMs: number): Promise<void> {
  const isActive = () => lines.some((line) => line.includes('this one takes over'))
  await expect.poll(isActive, { timeout: timeoutMs, interval: 50 }).toBe(true)
}

test('a standby is healthy while its database answers, without Telegram and the service', async () => {
  const { proxies, second } = await openProcesses()

  for (const proxy of proxies) proxy.cut()
  const health = await fetch(`${second.address}/healthz`)

  expect([health.status, await health.json()]).toMatchObject([200, { ready: true, reasons: [] }])
  expect(second.lines.join()).toContain('stands by')
})

test.each([
  ['is killed', (kopeck: Kopeck) => kopeck.kill()],
  ['freezes', async (kopeck: Kopeck) => kopeck.freeze()],
])('a standby is active within 10 s after the active process %s', async (_, end) => {
  const { telegram, service, first, second } = await openProcesses()
  service.onCompletion((completion) => completion.answer('Hello!'))

  await end(first)
  const id = telegram.say(USER, 'Said to nobody')
  await untilActive(second, TAKE_OVER_MS)

  await expect.poll(() => telegram.answers(USER, id), { timeout: SIGHT_MS }).toHaveLength(1)
})

test('at SIGTERM a standby is active within 2 s, while the process before it finishes its answer', async () => {
  const { telegram, service, first, second } = await openProcesses()
  const id = telegram.say(USER, 'Go on')
  const completion = await service.next()
  completion.delta('Half')

  const exited = first.stop()
  await untilActive(second, HAND_OVER_MS)
  const otherId = telegram.say(OTHER, 'Hello?')
  const other = await service.next()
  other.answer('Hello!')
  await expect.poll(() => telegram.answers(OTHER, otherId), { timeout: SIGHT_MS }).toHaveLength(1)
  completion.delta(' and half')
  completion.finish()

  expect(await exited).toBe(0)
  expect(telegram.answers(USER, id).map(({ text }) => text)).toEqual(['Half and half'])
  expect(service.completions).toHaveLength(2)
})
