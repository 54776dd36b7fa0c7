import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { type Kopeck, startKopeck } from './kopeck.ts'
import { openTelegram, type Telegram } from './telegram-user.ts'

const USER = 501

let dataDir: string
let telegram: Telegram
let env: Record<string, string>
let database: pg.Client
let kopeck: Kopeck | undefined

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-e2e-'))
  telegram = await openTelegram()
  const url = await createTestDatabase()
  env = { ...telegram.env, DATABASE_URL: url, DATA_DIR: dataDir, LOG_LEVEL: 'info' }
  database = new pg.Client({ connectionString: url })
  await database.connect()
})

afterEach(async () => {
  await kopeck?.stop()
  await database.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  return (await database.query(sql)).rows
}

/** What a text says, whatever marks it has: the bot writes a model's Markdown in its own way. */
function lettersOf(text: unknown): string {
  return String(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Whether there is a turn, and nothing is left to do for it. */
async function atRest(): Promise<boolean> {
  const [found] = await rows(`
    SELECT EXISTS (SELECT FROM bot.turn) AND NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
       AND NOT EXISTS (SELECT FROM bot.turn WHERE state = 'streaming')
       AND NOT EXISTS (SELECT FROM service.hold WHERE state = 'held') AS at_rest`)
  return found?.at_rest === true
}

test('a text becomes a reply that grows in one message and is charged to who asked', async () => {
  kopeck = await startKopeck(env)

  const asked = telegram.say(USER, 'What does a kopeck buy?')
  await expect.poll(atRest, { timeout: 25_000 }).toBe(true)
  await telegram.playground.waitFor(() => telegram.answers(USER, asked).length > 0)

  const answers = telegram.answers(USER, asked)
  const [charge] = await rows('SELECT * FROM bot.charge')
  const [hold] = await rows('SELECT * FROM service.hold')
  const messages = await rows('SELECT role, content FROM bot.message ORDER BY id')
  expect(answers).toHaveLength(1)
  expect(answers[0]?.editDate).toBeDefined()
  expect(messages).toEqual([
    { role: 'user', content: 'What does a kopeck buy?' },
    { role: 'assistant', content: expect.any(String) },
  ])
  expect(lettersOf(answers[0]?.rich?.markdown)).toBe(lettersOf(messages[1]?.content))
  expect(hold).toMatchObject({ state: 'settled', cost_micro_rub: charge?.amount_micro_rub })
  expect(charge).toMatchObject({ user_id: String(USER), kind: 'answer', estimated: false })
  expect(Number(charge?.amount_micro_rub)).toBeGreaterThan(0)
  expect(await rows('SELECT * FROM service.ledger_fault')).toEqual([])
})

test('kill -9 in a reply: after the restart it is finished and charged once, and no hold stays open', async () => {
  kopeck = await startKopeck(env)
  const asked = telegram.say(USER, 'Write 4000 characters about kopecks')
  await telegram.playground.waitFor(() => telegram.answers(USER, asked)[0]?.editDate)

  await kopeck.kill()
  kopeck = await startKopeck(env)
  await expect.poll(atRest, { timeout: 25_000 }).toBe(true)

  const [turn] = await rows('SELECT state, shown_text FROM bot.turn')
  const charges = await rows('SELECT kind, estimated FROM bot.charge')
  const answers = telegram.answers(USER, asked)
  expect(turn?.state).toBe('interrupted')
  expect(lettersOf(answers[0]?.rich?.markdown)).toContain(lettersOf(turn?.shown_text))
  expect(charges).toEqual([{ kind: 'answer', estimated: true }])
  expect(await rows('SELECT state FROM service.hold')).toEqual([{ state: 'kept' }])
  expect(await rows('SELECT * FROM service.ledger_fault')).toEqual([])
})

test('kill -9 before anything was shown: after the restart the text is answered whole', async () => {
  kopeck = await startKopeck(env)
  const held = telegram.playground.fault({ method: 'sendRichMessage', kind: 'hold' })
  const asked = telegram.say(USER, 'Hello')
  await telegram.playground.waitFor(() => held.hits > 0)

  await kopeck.kill()
  held.release()
  held.end()
  kopeck = await startKopeck(env)
  await expect.poll(atRest, { timeout: 25_000 }).toBe(true)

  const states = await rows('SELECT state FROM bot.turn')
  expect(states).toEqual([{ state: expect.stringMatching(/finished|interrupted/) }])
  expect(telegram.answers(USER, asked).length).toBeGreaterThan(0)
  const paid = await rows(`
    SELECT count(*)::int AS charges FROM bot.charge WHERE reversal_of IS NULL
      AND id NOT IN (SELECT reversal_of FROM bot.charge WHERE written_off)`)
  expect(paid).toEqual([{ charges: 1 }])
})

test('a stop in the middle of a reply lets it end, and exits with 0', async () => {
  kopeck = await startKopeck(env)
  const asked = telegram.say(USER, 'What does a kopeck buy?')
  await telegram.playground.waitFor(() => telegram.answers(USER, asked).length > 0)

  const code = await kopeck.stop()
  kopeck = undefined

  expect(code).toBe(0)
  const [turn] = await rows('SELECT state FROM bot.turn')
  const [message] = await rows(`SELECT content FROM bot.message WHERE role = 'assistant'`)
  expect(turn).toEqual({ state: 'finished' })
  expect(lettersOf(telegram.answers(USER, asked)[0]?.rich?.markdown)).toBe(
    lettersOf(message?.content),
  )
})
