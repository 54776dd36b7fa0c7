import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startChatService } from '../../bot/chat-service.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const CHAT = 5001
const WAIT_MS = 30_000
const LOOK_MS = 5
const BEFORE = ['/help', '/model', '/usage', '/history', '/language']
const AFTER = ['/format', '/system', '/orders', '/export', '/new']

// Promise: Ten commands and two questions come during one long answer, and the process is killed in the middle
test('ten commands sent during one long answer are answered beside it, kill -9 in the middle: the answer is whole, later questions have theirs in order', {
  timeout: 4 * WAIT_MS,
}, async () => {
  const { telegram, service, pool, start } = await openBot()
  const first = await start()
  telegram.say(CHAT, 'one')
  await service.next()
  const two = telegram.say(CHAT, 'two')
  await expect.poll(() => states(pool)).toEqual(['streaming', 'waiting'])
  const took = [...(await sendAll(BEFORE))]
  // A command whose process dies between its answer and the record of it is answered again.
  await expect.poll(() => unhandled(pool)).toBe(2)

  await first.kill()
  await start()
  const again = await service.next()
  const pieces = Array.from({ length: 300 }, (_, index) => `Sentence ${index} of a long answer.`)
  const halves = [pieces.slice(0, 150).join(' '), pieces.slice(150).join(' ')] as const
  again.delta(halves[0])
  await shown(/Sentence 1 of/)
  took.push(...(await sendAll(AFTER)))
  telegram.say(CHAT, 'three')
  await expect.poll(() => states(pool)).toEqual(['streaming', 'waiting', 'waiting'])
  again.delta(` ${halves[1]}`)
  again.finish()
  const later = [await service.next()]
  later[0]?.delta('Two.')
  later[0]?.finish()
  later.push(await service.next())
  later[1]?.delta('Three.')
  later[1]?.finish()
  await expect
    .poll(() => states(pool), { timeout: WAIT_MS })
    .toEqual(['finished', 'finished', 'finished'])
  await expect.poll(() => unhandled(pool), { timeout: WAIT_MS }).toBe(0)

  const texts = botTexts()
  const ofAnswer = texts.filter((text) => text.includes(' of a long answer.'))
  const whole = ofAnswer.join(' ')
  expect(whole.replaceAll(/\s+/g, ' ')).toBe(pieces.join(' '))
  expect(later.map(({ prompt }) => prompt)).toEqual(['two', 'three'])
  // The second one is in the conversation of before /new, the third one after it.
  expect(later.map(({ request }) => request.messages.length)).toEqual([3, 1])
  expect(service.completions.map(({ prompt }) => prompt)).toEqual(['one', 'one', 'two', 'three'])
  const answerToTwo = telegram.answers(CHAT, two).find(({ text }) => text === 'Two.')
  expect(answerToTwo?.replyToMessageId).toBe(two)
  // One answer to each command, and one to each question: no line was sent twice, or stayed.
  expect(texts).toHaveLength(BEFORE.length + AFTER.length + ofAnswer.length + 2)
  process.stdout.write(`commands were answered after ${took.join(', ')} ms\n`)

  async function sendAll(commands: readonly string[]): Promise<number[]> {
    const tookMs: number[] = []
    for (const command of commands) {
      const sentAt = performance.now()
      const id = telegram.say(CHAT, command)
      await expect
        .poll(() => telegram.answers(CHAT, id).length, { timeout: WAIT_MS, interval: LOOK_MS })
        .toBeGreaterThan(0)
      tookMs.push(Math.round(performance.now() - sentAt))
    }
    return tookMs
  }

  async function shown(text: RegExp): Promise<void> {
    await expect.poll(botTexts, { timeout: WAIT_MS }).toContainEqual(expect.stringMatching(text))
  }

  function botTexts(): string[] {
    return telegram.answers(CHAT, 0).map(({ text, caption, rich }) => {
      return rich?.markdown ?? text ?? caption ?? ''
    })
  }
})

async function unhandled(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query('SELECT FROM bot.update WHERE handled_at IS NULL')
  return rows.length
}

async function states(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query('SELECT state FROM bot.turn ORDER BY id')
  return rows.map(({ state }) => state)
}

async function openBot() {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-beside-'))
  const telegram = await openTelegram()
  const service = await startChatService()
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  onTestFinished(async () => {
    await pool.end()
    await service.close()
    await telegram.close()
    await rm(dataDir, { recursive: true })
  })
  return { telegram, service, pool, start }

  async function start() {
    const bot = await startKopeck(
      {
        ...telegram.env,
        ...NO_SERVICE_LIMITS,
        ALLOWED_USER_IDS: '*',
        DATABASE_URL: url,
        DATA_DIR: dataDir,
        SERVICE_URL: `http://127.0.0.1:${service.port}/api/v1`,
        SERVICE_API_KEY: 'key',
      },
      ['bot'],
    )
    onTestFinished(async () => {
      await bot.stop()
    })
    return bot
  }
}
