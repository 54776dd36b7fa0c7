import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { runKopeck, startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')
const SOON = { timeout: 30_000 }
const REAL_USER = 123_456_789

let env: { DATABASE_URL: string; DATA_DIR: string; PORT: string; LOG_LEVEL: string }

beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-owner-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const DATABASE_URL = await createTestDatabase()
  env = { DATABASE_URL, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' }
})

/** A bot that comes back meets no update of an id that it knows. */
let idsFrom = 1

/** Opens a Telegram in which the bot has that id. */
async function openTelegramOf(botId: number, secret = 'secret') {
  idsFrom += 1_000
  const telegram = await openTelegram({ token: `${botId}:${secret}`, idsFrom })
  onTestFinished(() => telegram.close())
  return telegram
}

/** Runs a bot until it has answered a user of Telegram. */
async function answerOnce(botId: number, secret?: string): Promise<void> {
  const telegram = await openTelegramOf(botId, secret)
  const kopeck = await startKopeck({ ...env, ...telegram.env })
  const id = telegram.say(REAL_USER, '/stop')
  await expect.poll(() => telegram.answers(REAL_USER, id), SOON).toHaveLength(1)
  expect(await kopeck.stop()).toBe(0)
}

/** The exit code of a start that is refused, and all that it wrote. */
async function refusalOf(given: Record<string, string>): Promise<[number | null, string]> {
  const { code, output } = await runKopeck({ ...env, ...given, LOG_LEVEL: 'fatal' })
  return [code, output]
}

// Promise: A start has the token of another bot than the one whose database it is
test('a database belongs to the first bot: another one is refused before it calls Telegram, and the same one with a new token is not', async () => {
  await answerOnce(111)
  const other = await openTelegramOf(222)

  const refused = await refusalOf(other.env)

  expect(refused).toEqual([
    2,
    'Cannot use the database: it belongs to bot 111, and BOT_TOKEN is of bot 222; set the token of bot 111, set another DATA_DIR or DATABASE_URL, or let bot 222 take it over with npm run take-over\n',
  ])
  expect(other.playground.calls).toEqual([])
  await answerOnce(111, 'new-secret')
})

// Promise: A start on the database of a bot has no BOT_TOKEN
test('the playground does not stand in for a bot of Telegram, and opens nothing to the network on its database', async () => {
  await answerOnce(111)
  const port = String(await findFreePort())
  const playground = { HOST: '0.0.0.0', PLAYGROUND_PORT: port }

  const refused = await refusalOf(playground)

  expect(refused).toEqual([
    2,
    'Cannot use the database: it belongs to bot 111, and BOT_TOKEN is not set; set the token of bot 111, or set another DATA_DIR or DATABASE_URL for the playground\n',
  ])
})

// Promise: A start on the database of a bot has no BOT_TOKEN
test('a database from before bots were stored goes to the first bot, but to no playground if users of Telegram have written there', async () => {
  await answerOnce(111)
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL })
  onTestFinished(() => pool.end())
  await pool.query('DELETE FROM bot.owner')

  const refused = await refusalOf({})

  expect(refused).toEqual([
    2,
    'Cannot use the database: users of Telegram have written to its bot, and BOT_TOKEN is not set; set it, or set another DATA_DIR or DATABASE_URL for the playground\n',
  ])
  await answerOnce(111)
  const { rows } = await pool.query('SELECT bot_id FROM bot.owner')
  expect(rows).toEqual([{ bot_id: '111' }])
})

// Promise: A start has the token of another bot than the one whose database it is
test('a bot of Telegram is refused on the database of a playground, until it takes it over', async () => {
  const playground = await startKopeck(env)
  expect(await playground.stop()).toBe(0)
  const telegram = await openTelegramOf(222)

  const refused = await refusalOf(telegram.env)

  expect(refused).toEqual([
    2,
    'Cannot use the database: it belongs to the playground, and BOT_TOKEN is of bot 222; set another DATA_DIR or DATABASE_URL, or let bot 222 take it over with npm run take-over\n',
  ])
  expect(telegram.playground.calls).toEqual([])

  expect(await takeOver(222)).toBe('The database belongs to bot 222 now.\n')
  await answerOnce(222)
})

// Promise: A bot takes over the database of one that still runs
test('a database is not taken over from a bot that runs', async () => {
  const telegram = await openTelegramOf(111)
  const kopeck = await startKopeck({ ...env, ...telegram.env })

  const refused = await takeOver(222)

  expect(refused).toBe(
    'Cannot use the database: a bot runs on it, or did 10 seconds ago; stop it, and try again\n',
  )
  expect(await kopeck.stop()).toBe(0)
  expect(await takeOver(222)).toBe('The database belongs to bot 222 now.\n')
  expect((await refusalOf(telegram.env))[1]).toContain('it belongs to bot 222')
})

// Promise: A bot takes over the database of one that still runs
test('a bot that was killed keeps its database from no other, though the clock of the primary of then was an hour ahead', async () => {
  const telegram = await openTelegramOf(111)
  const kopeck = await startKopeck({ ...env, ...telegram.env })
  await kopeck.kill()
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL })
  onTestFinished(() => pool.end())

  const refused = await takeOver(222)
  await pool.query(`UPDATE public.instance SET beat_at = beat_at + interval '1 hour'`)
  const taken = await takeOver(222)

  expect(refused).toContain('a bot runs on it')
  expect(taken).toBe('The database belongs to bot 222 now.\n')
})

/** Runs `kopeck take-over` with the token of a bot. @returns What it wrote. */
async function takeOver(botId: number): Promise<string> {
  const child = spawn(process.execPath, [COMMAND, 'take-over'], {
    env: { ...env, PATH: process.env.PATH ?? '', BOT_TOKEN: `${botId}:secret` },
    cwd: import.meta.dirname,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  await once(child, 'close')
  return output
}
