import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Playground } from '../../../src/playground/playground.ts'
import { type OpenCompletion, startChatService } from '../../bot/chat-service.ts'
import { type CuttableProxy, openCuttableProxy } from '../../bot/cuttable-proxy.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { type Kopeck, NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const CHATS = [5001, 5002, 5003, 5004, 5005, 5006]
/** Longer than a lease. */
const FROZEN_MS = 12_000
const WAIT_MS = 45_000
const TURNS = 'SELECT state, count(*)::int FROM bot.turn GROUP BY state ORDER BY state'

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
  return { telegram, service, pool, start, openWay }

  async function openWay(): Promise<{ proxy: CuttableProxy; databaseUrl: string }> {
    const proxy = await openCuttableProxy(Number(new URL(url).port))
    onTestFinished(proxy.cut)
    const detour = new URL(url)
    detour.port = String(proxy.port)
    return { proxy, databaseUrl: detour.href }
  }

  async function start(key: string, { databaseUrl = url } = {}) {
    const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-frozen-'))
    dataDirs.push(dataDir)
    const bot = await startKopeck(
      {
        ...telegram.env,
        ...NO_SERVICE_LIMITS,
        DATABASE_URL: databaseUrl,
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
  // It has replaced itself, and is where it was.
  const addresses = () =>
    first.lines
      .filter((line) => line.includes('"msg":"ready"'))
      .map((line) => [JSON.parse(line).address, JSON.parse(line).pid])
  const same = [first.address, first.pid]
  await expect.poll(addresses, { timeout: WAIT_MS }).toEqual([same, same])
  // What is shown whole is stored a moment later, and the second process is not to die before.
  await expect.poll(turns).toEqual([{ state: 'finished', count: CHATS.length + 1 }])
  await second.kill()
  telegram.say(5008, 'Said to the one that came back')
  await expect
    .poll(() => telegram.answers(5008, 0)[0]?.text, { timeout: WAIT_MS, interval: 100 })
    .toBe('An answer.')

  expect(answered()).toEqual([1, 1, 1, 1, 1, 1, 1])
  for (const chat of [...CHATS, 5007, 5008]) {
    expect(telegram.answers(chat, 0)[0]?.text).toBe('An answer.')
  }
  await expect.poll(turns).toEqual([{ state: 'finished', count: CHATS.length + 2 }])
  const requests = Map.groupBy(service.completions, ({ apiKey }) => apiKey)
  process.stdout.write(`overtaken after ${overtakenMs} ms\n`)
  expect(requests.get('second')).toHaveLength(CHATS.length + 1)
  expect(await first.stop()).toBe(0)
})

const READER = 5011
const GROUP = -5013
const READING = [READER, GROUP]
const WORD_MS = 30
/** More than are written until another process has taken over. */
const WORDS = 1000

const CUT_SHORT = `
  SELECT count(*)::int FROM bot.turn WHERE state = 'interrupted' AND ended_at IS NOT NULL`

const LOSSES = {
  freezes: {
    begin: (kopeck: Kopeck) => kopeck.freeze(),
    end: (kopeck: Kopeck) => kopeck.thaw(),
  },
  'is cut off from its database': {
    begin: (_: Kopeck, proxy: CuttableProxy) => proxy.cut(),
    end: (_: Kopeck, proxy: CuttableProxy) => proxy.mend(),
  },
}

// Promise: A process dies, or loses its lease, right after its chat was shown more of an answer than is stored
test.each(Object.entries(LOSSES))(
  'of an answer whose process %s no word that a chat showed is gone when another one takes the turn over, nor when it is back',
  { timeout: 3 * WAIT_MS },
  async (_, loss) => {
    const { telegram, service, pool, start, openWay } = await openProcesses()
    const { playground } = telegram
    const { proxy, databaseUrl } = await openWay()
    const first = await start('first', { databaseUrl })
    service.onCompletion((completion) => void writeWords(completion))
    const read = watchWords(playground)
    telegram.say(READER, 'Go on')
    playground.addGroup({ id: GROUP, title: 'Friends', members: [READER] })
    const text = `@${playground.me.username} Go on`
    playground.userSends({ userId: READER, chatId: GROUP, text })
    await playground.waitFor(() => READING.every((chat) => (read.get(chat)?.size ?? 0) > 0))
    await start('second')

    loss.begin(first, proxy)
    const cutShort = async () => (await pool.query(CUT_SHORT)).rows[0]?.count
    await expect.poll(cutShort, { timeout: WAIT_MS }).toBe(READING.length)
    const left = READING.map((chat) => answersTo(playground, chat))
    loss.end(first, proxy)
    await expect
      .poll(() => first.lines.filter((line) => line.includes('"msg":"ready"')).length, {
        timeout: WAIT_MS,
      })
      .toBe(2)

    const words = READING.map((chat) => `${read.get(chat)?.size} in ${chat}`)
    process.stdout.write(`words read: ${words.join(', ')}\n`)
    for (const [index, chat] of READING.entries()) {
      const answers = answersTo(playground, chat)
      expect(answers).toEqual(left[index])
      expect(answers.filter(({ buttons }) => buttons.includes('"retry:'))).toHaveLength(1)
      const shown = wordsOf(answers.map((answer) => answer.text))
      expect([...(read.get(chat) ?? [])].filter((word) => !shown.has(word))).toEqual([])
    }
    expect(service.completions.map(({ apiKey }) => apiKey)).toEqual(READING.map(() => 'first'))
    expect(await first.stop()).toBe(0)
  },
)

async function writeWords(completion: OpenCompletion): Promise<void> {
  for (let number = 1; number <= WORDS && completion.isOpen(); number += 1) {
    completion.delta(`w${number} `)
    await delay(WORD_MS)
  }
}

/** Keeps every word that the chats show at any time. */
function watchWords(playground: Playground): ReadonlyMap<number, ReadonlySet<string>> {
  const read = new Map(READING.map((chat) => [chat, new Set<string>()]))
  const look = () => {
    for (const [chat, words] of read) {
      const texts = answersTo(playground, chat).map(({ text }) => text)
      for (const word of wordsOf(texts)) words.add(word)
    }
  }
  onTestFinished(playground.onChange(look))
  return read
}

function wordsOf(texts: readonly string[]): Set<string> {
  return new Set(texts.join('\n').match(/w\d+/g))
}

function answersTo(playground: Playground, chat: number): { text: string; buttons: string }[] {
  const shown = playground.transcript(chat).filter(({ from }) => from === 'bot')
  return shown.map(({ text, rich, replyMarkup = {} }) => ({
    text: rich?.markdown ?? text ?? '',
    buttons: JSON.stringify(replyMarkup),
  }))
}
