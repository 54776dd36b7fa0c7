import type { Update } from 'grammy/types'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type OpenCompletion, startChatService } from '../../bot/chat-service.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'
import { serve } from '../chaos/local-server.ts'

/** WEBHOOK_UPDATES=500 for a long look: answers leave as fast as Telegram bears. */
const UPDATES = Number(process.env.WEBHOOK_UPDATES ?? 60)
const CHATS = 20
const FIRST_CHAT = 3000
/** Telegram has so many updates on their way at once. */
const CONNECTIONS = 40
const SECRET = 'webhook_secret'
/** The keys of the processes, by which the service distinguishes them. */
const KEYS = ['key_1', 'key_2']
const REST_TIMEOUT_MS = 60_000 + UPDATES * 200

const COUNTS = `
  SELECT (SELECT count(*)::int FROM bot.update WHERE handled_at IS NOT NULL) AS handled,
    (SELECT count(*)::int FROM bot.turn WHERE state = 'finished' AND lease_owner IS NULL) AS finished`
/** When the answers of each chat were shown whole, in order. */
const SHOWN = `
  SELECT chat_id::int AS "chatId", array_agg(ended_at ORDER BY id) AS "shownAt"
  FROM bot.turn GROUP BY chat_id`

test(`two processes get ${UPDATES} updates of ${CHATS} chats, the chats in any order: one process answers each once, in the order of its chat, without overlap`, {
  timeout: 2 * REST_TIMEOUT_MS,
}, async () => {
  const { telegram, gate, service, pool, addresses } = await openProcesses()
  const model = createModel()
  service.onCompletion(model.answer)
  const counts = async () => (await pool.query(COUNTS)).rows[0]
  telegram.say(FIRST_CHAT, 'Hello')
  await expect.poll(() => gate.updates.length).toBe(1)
  await postAll(gate.updates.splice(0), addresses)
  await expect.poll(counts, { timeout: REST_TIMEOUT_MS }).toMatchObject({ handled: 1 })
  const sent = new Map<number, string[]>()
  for (let index = 0; index < UPDATES; index += 1) {
    const chatId = FIRST_CHAT + 1 + Math.floor(Math.random() * CHATS)
    const text = `chat ${chatId} text ${index}`
    sent.set(chatId, [...(sent.get(chatId) ?? []), text])
    telegram.say(chatId, text)
  }
  await expect.poll(() => gate.updates.length).toBe(UPDATES)

  const beganAt = performance.now()
  await postAll(gate.updates, addresses)
  const postedMs = Math.round(performance.now() - beganAt)
  await expect
    .poll(counts, { timeout: REST_TIMEOUT_MS, interval: 250 })
    .toEqual({ handled: UPDATES + 1, finished: UPDATES + 1 })
  const answeredMs = Math.round(performance.now() - beganAt)
  process.stdout.write(
    `${UPDATES} updates: posted in ${postedMs} ms, answered in ${answeredMs} ms\n`,
  )

  expect(new Set(service.completions.map(({ apiKey }) => apiKey)).size).toBe(1)
  for (const [chatId, texts] of sent) {
    const shown = telegram.answers(chatId, 0).map(({ text }) => text)
    // The line of a question that waits may stand above the answer before it.
    expect(shown.toSorted()).toEqual(texts.map((text) => `To ${text}`).toSorted())
    expect(model.asked.get(chatId)).toEqual(texts.map((_, number) => texts.slice(0, number + 1)))
  }
  const { rows } = await pool.query<{ chatId: number; shownAt: Date[] }>(SHOWN)
  for (const { chatId, shownAt } of rows.filter((row) => sent.has(row.chatId))) {
    const askedAt = model.askedAt.get(chatId) ?? []
    const overlaps = askedAt.slice(1).filter((at, index) => at < (shownAt[index]?.getTime() ?? 0))
    expect(overlaps).toEqual([])
  }
})

/** Telegram, a service, a database, and two processes of the bot behind one address. */
async function openProcesses() {
  const dataDir = await makeFolder()
  const telegram = await openTelegram()
  const gate = await openGate()
  const service = await startChatService()
  const url = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const env = {
    ...telegram.env,
    ...NO_SERVICE_LIMITS,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SERVICE_URL: `http://127.0.0.1:${service.port}/api/v1`,
    PUBLIC_URL: gate.origin,
    WEBHOOK_SECRET: SECRET,
  }
  const bots = await Promise.all(
    KEYS.map((key) => startKopeck({ ...env, SERVICE_API_KEY: key }, ['bot'])),
  )
  onTestFinished(async () => {
    const codes = await Promise.all(bots.map((bot) => bot.stop()))
    await pool.end()
    await service.close()
    await gate.close()
    await telegram.close()
    expect(codes).toEqual([0, 0])
  })
  return { telegram, gate, service, pool, addresses: bots.map(({ address }) => address) }
}

/** The address that Telegram knows. It keeps what comes: who gets it, and when, is the test's to say. */
async function openGate() {
  const updates: Update[] = []
  const server = await serve(({ body }, response) => {
    updates.push(JSON.parse(body.toString()))
    response.end()
  })
  return { ...server, updates }
}

/**
 * Brings updates as Telegram does, so many at once, each to any of the processes: those of one chat one
 * after the other, the chats in any order.
 */
async function postAll(updates: readonly Update[], addresses: readonly string[]): Promise<void> {
  const ofChats = Map.groupBy(updates, ({ message }) => message?.chat.id)
  const left = shuffle([...ofChats.values()]).values()
  const connections = Array.from({ length: CONNECTIONS }, async () => {
    for (const ofChat of left) for (const update of ofChat) await post(update)
  })
  await Promise.all(connections)

  async function post(update: Update): Promise<void> {
    const address = addresses[Math.floor(Math.random() * addresses.length)]
    const response = await fetch(`${address}/telegram/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET },
      body: JSON.stringify(update),
    })
    expect(response.status).toBe(200)
  }
}

/** Answers at once, and records for each chat what was asked, and when: every time all that its user had asked. */
function createModel() {
  const asked = new Map<number, string[][]>()
  const askedAt = new Map<number, number[]>()
  return { asked, askedAt, answer }

  function answer({ request, prompt, delta, finish }: OpenCompletion): void {
    const chatId = Number(prompt.split(' ')[1])
    const prompts = request.messages.flatMap(({ role, content }) =>
      role === 'user' ? [content] : [],
    )
    asked.set(chatId, [...(asked.get(chatId) ?? []), prompts])
    askedAt.set(chatId, [...(askedAt.get(chatId) ?? []), Date.now()])
    delta(`To ${prompt}`)
    finish()
  }
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}
