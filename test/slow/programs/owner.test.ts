import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { runKopeck, startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const SOON = { timeout: 30_000 }
const REAL_USER = 123_456_789

let env: { DATABASE_URL: string; DATA_DIR: string; PORT: string; LOG_LEVEL: string }

beforeEach(async () => {
  const dataDir = await makeFolder()
  const DATABASE_URL = await createTestDatabase()
  env = { DATABASE_URL, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' }
})

/** A bot that comes back meets no update of an id that it knows. */
let idsFrom = 1

async function openTelegramOf(botId: number, secret = 'secret') {
  idsFrom += 1_000
  const telegram = await openTelegram({ token: `${botId}:${secret}`, idsFrom })
  onTestFinished(() => telegram.close())
  return telegram
}

async function answerOnce(botId: number, secret?: string): Promise<void> {
  const telegram = await openTelegramOf(botId, secret)
  const kopeck = await startKopeck({ ...env, ...telegram.env })
  const id = telegram.say(REAL_USER, '/stop')
  await expect.poll(() => telegram.answers(REAL_USER, id), SOON).toHaveLength(1)
  expect(await kopeck.stop()).toBe(0)
}

async function refusalOf(given: Record<string, string>): Promise<[number | null, string]> {
  const { code, output } = await runKopeck({ ...env, ...given, LOG_LEVEL: 'fatal' })
  return [code, output]
}

test('a database belongs to the first bot: another one is refused before it calls Telegram, and the same one with a new token is not', async () => {
  await answerOnce(111)
  const other = await openTelegramOf(222)

  const refused = await refusalOf(other.env)

  expect(refused).toEqual([
    2,
    'Cannot use the database: it belongs to bot 111, and BOT_TOKEN is of bot 222; set another DATA_DIR or DATABASE_URL\n',
  ])
  expect(other.playground.calls).toEqual([])
  await answerOnce(111, 'new-secret')
})

test('the playground does not stand in for a bot of Telegram, and opens nothing to the network on its database', async () => {
  await answerOnce(111)
  const port = String(await findFreePort())
  const playground = { HOST: '0.0.0.0', PLAYGROUND_PORT: port }

  const refused = await refusalOf(playground)

  expect(refused).toEqual([
    2,
    'Cannot use the database: it belongs to bot 111, and BOT_TOKEN is not set; set another DATA_DIR or DATABASE_URL\n',
  ])
})
