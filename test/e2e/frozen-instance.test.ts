import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startChatService } from '../bot/chat-service.ts'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { NO_SERVICE_LIMITS, startKopeck } from './kopeck.ts'
import { openTelegram } from './telegram-user.ts'

const CHATS = [5001, 5002, 5003, 5004, 5005, 5006]
/** Longer than a lease. */
const FROZEN_MS = 12_000
const WAIT_MS = 45_000
const TURNS = 'SELECT state, count(*)::int FROM bot.turn GROUP BY state ORDER BY state'

/** Telegram, a service, a database, and two processes of the bot, each with a folder and a key of its own. */
async function openProcesses() {
  const telegram = await openTelegram()
  const service = await startChatService()
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const dataDirs: string[] = []
  onTestFinished(async () => {
    await pool.end()
    await service.close()
    await telegram.close()
    for (const dataDir of dataDirs) await rm(dataDir, { recursive: true })
  })
  return { telegram, service, pool, start }

  async function start(key: string) {
    const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-frozen-'))
    dataDirs.push(dataDir)
    const bot = await startKopeck(
      {
        ...telegram.env,
        ...NO_SERVICE_LIMITS,
        DATABASE_URL: url,
        DATA_DIR: dataDir,
        SERVICE_URL: `http://127.0.0.1:${service.port}/api/v1`,
        SERVICE_API_KEY: key,
      },
      ['bot'],
    )
    onTestFinished(async () => {
      bot.thaw()
      await bot.stop()
    })
    return bot
  }
}

// Promise: A process freezes: a paused machine, SIGSTOP
test('a process that leads, answers and freezes is overtaken, and does no harm when it comes back', {
  timeout: 3 * WAIT_MS,
}, async () => {
  const { telegram, service, pool, start } = await openProcesses()
  const first = await start('first')
  for (const chat of CHATS) telegram.say(chat, `Hello from ${chat}`)
  await expect.poll(() => service.completions.length).toBe(CHATS.length)
  const turns = async () => (await pool.query(TURNS)).rows
  const second = await start('second')
  service.onCompletion((completion) => {
    completion.delta('An ')
    completion.delta('answer.')
    completion.finish({ costRub: 0.01 })
  })

  first.freeze()
  const frozenAt = performance.now()
  telegram.say(5007, 'Said while the leader was frozen')
  const answered = () => [...CHATS, 5007].map((chat) => telegram.answers(chat, 0).length)
  await expect.poll(answered, { timeout: WAIT_MS }).toEqual([1, 1, 1, 1, 1, 1, 1])
  const overtakenMs = Math.round(performance.now() - frozenAt)
  await delay(Math.max(0, FROZEN_MS - overtakenMs))
  first.thaw()
  // What it was in the middle of would go on now.
  for (const completion of service.completions) {
    if (completion.apiKey !== 'first') continue
    completion.delta('A second answer.')
    completion.finish({ costRub: 0.01 })
  }
  await expect
    .poll(() => first.lines.filter((line) => line.includes('"msg":"ready"')).length, {
      timeout: WAIT_MS,
    })
    .toBe(2)
  // What is shown whole is stored a moment later, and the second process is not to die before.
  await expect.poll(turns).toEqual([{ state: 'finished', count: CHATS.length + 1 }])
  await second.kill()
  telegram.say(5008, 'Said to the one that came back')
  await expect
    .poll(() => telegram.answers(5008, 0)[0]?.rich?.markdown, { timeout: WAIT_MS, interval: 100 })
    .toBe('An answer.')

  expect(answered()).toEqual([1, 1, 1, 1, 1, 1, 1])
  for (const chat of [...CHATS, 5007, 5008]) {
    expect(telegram.answers(chat, 0)[0]?.rich?.markdown).toBe('An answer.')
  }
  await expect.poll(turns).toEqual([{ state: 'finished', count: CHATS.length + 2 }])
  const requests = Map.groupBy(service.completions, ({ apiKey }) => apiKey)
  process.stdout.write(`overtaken after ${overtakenMs} ms\n`)
  expect(requests.get('second')).toHaveLength(CHATS.length + 1)
  expect(await first.stop()).toBe(0)
})
