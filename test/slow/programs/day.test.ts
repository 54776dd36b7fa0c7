import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { PlaygroundMessage } from '../../../src/playground/world/message.ts'
import { carelessCalls } from '../../bot/careless-calls.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const ADMIN = 501
const AT_REST = { timeout: 90_000 }

const WORDS = {
  en: { QUESTION: 'What is a kopeck?', INSTRUCTION: 'Answer briefly', THING: 'a fox', NAME: 'Ann' },
  ru: { QUESTION: 'Что такое копейка?', INSTRUCTION: 'Отвечай кратко', THING: 'лиса', NAME: 'Анн' },
}

const DAY = [
  ...['/start', 'QUESTION', '/usage', '/system INSTRUCTION', '/system', '/new', 'QUESTION'],
  ...['/chats', '/model beta', '/model', '/retry', '/history', '/export', '/stop', '/costnote'],
  ...['/image THING', '/sound THING', '/video 7s THING', '/orders', '/usage', '/language', '/help'],
  ...['/spend', '/spend NAME', '/balance', '/users', '/stats', '/access', '/dashboard'],
  ...[
    '/alerts',
    '/media',
    '/limit',
    '/limit 501 0.01 day',
    'QUESTION',
    '/limit 501',
    '/block',
    '/allow',
  ],
  ...['/role', '/settings', '/forget', '/nonsense'],
]

// Promise: A sentence of the bot is in the other language, or the rows of a table do not come to the amount above them
test.each(['en', 'ru'] as const)(
  'a day with the bot: every sentence is in the language of its reader, %s, lists add up, and no call is careless',
  async (languageCode) => {
    const { say, playground } = await openHouse(languageCode)
    const sent: PlaygroundMessage[] = []

    for (const line of DAY) {
      const words = line.replace(/[A-Z]{4,}/, (word) => wordFor(word, languageCode))
      const answers = await say(words)
      console.info([`> ${words}`, ...answers.map(describe)].join('\n'))
      sent.push(...answers)
    }

    expect(carelessCalls(playground)).toEqual([])
    // What is rich is a model's, and in the language that it was asked in.
    const plain = sent.filter(({ rich }) => rich === undefined)
    const texts = plain.map(textOf)
    const foreign = languageCode === 'en' ? /\p{Script=Cyrillic}/u : /\b[a-z]{2,} [a-z]{2,}\b/
    const words = plain.map(withoutCode).map(withoutCommands)
    expect(words.filter((text) => foreign.test(text))).toEqual([])
    const tables = texts.flatMap((text) => text.split('\n\n')).filter(isTable)
    // A table of one row is a sentence.
    expect(tables.length).toBeGreaterThanOrEqual(5)
    const heads = texts.flatMap((text) => text.split('\n\n').filter((part) => !isTable(part)))
    for (const table of tables)
      expect(heads.some((head) => amountsOf(head).includes(sumOf(table)))).toBe(true)
  },
  400_000,
)

async function openHouse(languageCode: 'en' | 'ru') {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-'))
  const telegram = await openTelegram()
  telegram.playground.addUser({ id: ADMIN, firstName: WORDS[languageCode].NAME, languageCode })
  const url = await createTestDatabase()
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    ADMIN_IDS: String(ADMIN),
  })
  onTestFinished(async () => {
    await kopeck.stop()
    await database.end()
    await telegram.close()
    await rm(dataDir, { recursive: true })
  })
  return { say, playground: telegram.playground }

  async function say(text: string): Promise<PlaygroundMessage[]> {
    const sentId = telegram.say(ADMIN, text)
    await expect.poll(() => telegram.answers(ADMIN, sentId).length, AT_REST).toBeGreaterThan(0)
    await expect.poll(atRest, AT_REST).toBe(true)
    const asking = telegram.answers(ADMIN, sentId).find((one) => yesOf(one) !== undefined)
    if (asking === undefined) return telegram.answers(ADMIN, sentId)
    // The second order within a minute is asked about.
    const press = { userId: ADMIN, messageId: asking.id, data: yesOf(asking) ?? '' }
    telegram.playground.presses(press)
    await expect.poll(() => telegram.answers(ADMIN, sentId).some(yesOf), AT_REST).toBe(false)
    await expect.poll(atRest, AT_REST).toBe(true)
    return [asking, ...telegram.answers(ADMIN, sentId)]
  }

  async function atRest(): Promise<boolean> {
    const { rows } = await database.query(`
      SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
         AND NOT EXISTS (SELECT FROM bot.turn WHERE state = 'streaming')
         AND NOT EXISTS (SELECT FROM bot."order" WHERE ended_at IS NULL) AS at_rest`)
    return rows[0]?.at_rest === true
  }
}

function wordFor(word: string, languageCode: 'en' | 'ru'): string {
  return WORDS[languageCode][word as keyof typeof WORDS.en] ?? word
}

function textOf({ text, caption }: PlaygroundMessage): string {
  return text ?? caption ?? ''
}

function yesOf({ replyMarkup }: PlaygroundMessage): string | undefined {
  const { inline_keyboard: rows = [] } = (replyMarkup ?? {}) as {
    inline_keyboard?: { callback_data?: string }[][]
  }
  return rows.flat().find(({ callback_data }) => /^card:\d+:order$/.test(callback_data ?? ''))
    ?.callback_data
}

function describe(message: PlaygroundMessage): string {
  const { inline_keyboard: rows = [] } = (message.replyMarkup ?? {}) as {
    inline_keyboard?: { text: string }[][]
  }
  const buttons = rows.map((row) => row.map(({ text }) => `[${text}]`).join(' '))
  return [textOf(message), ...buttons].join('\n')
}

/** Removes code, which is the same in each language. */
function withoutCode(message: PlaygroundMessage): string {
  const code = (message.entities ?? []).filter(({ type }) => type === 'code' || type === 'pre')
  return code
    .toReversed()
    .reduce(
      (rest, { offset, length }) => rest.slice(0, offset) + rest.slice(offset + length),
      textOf(message),
    )
}

function withoutCommands(text: string): string {
  return text.replaceAll(/https?:\S+|\/[a-z]+(?: [\w@.,|-]+)*/g, '')
}

/** A heading, and below it nothing but amounts with what they are of. */
function isTable(paragraph: string): boolean {
  const rows = paragraph.split('\n').slice(1)
  return rows.length > 0 && rows.every((row) => /^ *(\d+ +)?(₽[\d.,]+|[\d,]+\s₽) +\u2068/.test(row))
}

function sumOf(table: string): number {
  return table
    .split('\n')
    .slice(1)
    .reduce((sum, row) => sum + (amountsOf(row)[0] ?? 0), 0)
}

function amountsOf(text: string): number[] {
  const found = text.matchAll(/₽([\d.]+\d)|([\d,]+)\s₽/g)
  return [...found].map(([, en, ru = '']) => Math.round(Number(en ?? ru.replace(',', '.')) * 1e6))
}
