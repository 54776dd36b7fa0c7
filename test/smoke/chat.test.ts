import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import { type Kopeck, startKopeck } from '../support/kopeck.ts'
import { openTelegram, type Telegram } from '../support/telegram-user.ts'

let dataDir: string
let telegram: Telegram
let env: Record<string, string>
let database: pg.Client
let kopeck: Kopeck

// Each test has a user of its own, and the program goes on from one to the next.
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
  telegram = await openTelegram()
  const url = await createTestDatabase()
  env = { ...telegram.env, DATABASE_URL: url, DATA_DIR: dataDir, LOG_LEVEL: 'info' }
  database = new pg.Client({ connectionString: url })
  await database.connect()
  kopeck = await startKopeck(env)
})

afterAll(async () => {
  await kopeck.stop()
  await database.end()
  await telegram.close()
  await rm(dataDir, { recursive: true })
})

async function rows(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await database.query(sql, values)).rows
}

/** Keeps the letters and digits of a text: the bot writes a model's Markdown in its own way. */
function lettersOf(text: unknown): string {
  return String(text).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The turn of a user, and what came of it, once nothing is left to do. */
async function atRest(user: number) {
  const isAtRest = async () => {
    const [found] = await rows(
      `
      SELECT EXISTS (SELECT FROM bot.turn WHERE user_id = $1)
         AND NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
         AND NOT EXISTS (SELECT FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL)
         AND NOT EXISTS (SELECT FROM service.request WHERE ended_at IS NULL) AS at_rest`,
      [user],
    )
    return found?.at_rest
  }
  await expect.poll(isAtRest, { timeout: 25_000 }).toBe(true)
  const turns = await rows('SELECT * FROM bot.turn WHERE user_id = $1', [user])
  return {
    turns,
    messages: await rows('SELECT role, content FROM bot.message WHERE turn_id = $1 ORDER BY id', [
      turns[0]?.id,
    ]),
    charges: await rows('SELECT * FROM bot.charge WHERE user_id = $1', [user]),
    holds: await rows('SELECT * FROM service.request WHERE created_at >= $1', [
      turns[0]?.created_at,
    ]),
    faults: await rows('SELECT * FROM service.ledger_fault'),
  }
}

/** A text shows the language of its code in no letter. */
function withoutLanguages(markdown: unknown): string {
  return String(markdown).replaceAll(/^```\w+/gm, '')
}

/** The words of the bot below a message. */
function shownTo(user: number, asked: number): string {
  const answers = telegram.answers(user, asked)
  return answers.map(({ rich, text }) => rich?.markdown ?? text ?? '').join('\n')
}

test('a text becomes a reply that grows in one message and is charged to who asked', async () => {
  const user = 501

  const asked = telegram.say(user, 'What does a kopeck buy?')
  const { messages, charges, holds, faults } = await atRest(user)
  await telegram.playground.waitFor(() => telegram.answers(user, asked).length > 0)

  const answers = telegram.answers(user, asked)
  expect(answers).toHaveLength(1)
  expect(answers[0]?.editDate).toBeDefined()
  expect(messages).toEqual([
    { role: 'user', content: 'What does a kopeck buy?' },
    { role: 'assistant', content: expect.any(String) },
  ])
  expect(lettersOf(shownTo(user, asked))).toBe(lettersOf(withoutLanguages(messages[1]?.content)))
  const cost = charges[0]?.amount_micro_rub
  expect(holds).toMatchObject([{ end_state: 'settled', cost_micro_rub: cost }])
  expect(charges).toMatchObject([{ kind: 'answer', estimated: false }])
  expect(Number(cost)).toBeGreaterThan(0)
  expect(faults).toEqual([])
})

test('kill -9 in a reply: after the restart it is finished and charged once, and no hold stays open', async () => {
  const user = 502
  const asked = telegram.say(user, 'Write 4000 characters about kopecks')
  await telegram.playground.waitFor(() => telegram.answers(user, asked)[0]?.editDate)

  await kopeck.kill()
  kopeck = await startKopeck(env)
  const { turns, charges, holds, faults } = await atRest(user)

  expect(turns).toMatchObject([{ state: 'interrupted' }])
  expect(lettersOf(shownTo(user, asked))).toContain(lettersOf(turns[0]?.shown_text))
  expect(charges).toMatchObject([{ kind: 'answer', estimated: true }])
  expect(holds).toMatchObject([{ end_state: 'captured' }])
  expect(faults).toEqual([])
})

test('kill -9 before anything was shown: after the restart the text is answered whole', async () => {
  const user = 503
  const held = telegram.playground.fault({ method: 'sendMessage', kind: 'hold' })
  const asked = telegram.say(user, 'Hello')
  await telegram.playground.waitFor(() => held.hits > 0)

  await kopeck.kill()
  held.release()
  held.end()
  kopeck = await startKopeck(env)
  const { turns, charges } = await atRest(user)

  expect(turns).toMatchObject([{ state: expect.stringMatching(/finished|interrupted/) }])
  expect(telegram.answers(user, asked).length).toBeGreaterThan(0)
  expect(charges.filter(({ amount_micro_rub }) => Number(amount_micro_rub) > 0)).toHaveLength(1)
})

test('a stop in the middle of a reply lets it end, and exits with 0', async () => {
  const user = 504
  const asked = telegram.say(user, 'Write 1500 characters about kopecks')
  await telegram.playground.waitFor(() => telegram.answers(user, asked).length > 0)

  const code = await kopeck.stop()

  expect(code).toBe(0)
  const { turns, messages } = await atRest(user)
  expect(turns).toMatchObject([{ state: 'finished' }])
  expect(lettersOf(shownTo(user, asked))).toBe(lettersOf(withoutLanguages(messages[1]?.content)))
})
