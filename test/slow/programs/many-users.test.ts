import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { OLLAMA, startUpstream } from '../../service/config/openai/upstreams.ts'
import { letMinutesFly } from '../../service/let-time-pass.ts'
import { NO_SERVICE_LIMITS, startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

/** MANY_USERS=100 for a long look. */
const USERS = Number(process.env.MANY_USERS ?? 40)

function lettersOf(text: string | undefined): string | undefined {
  return text?.replaceAll(/[^\p{L}\p{N}]/gu, '')
}

test(`${USERS} users at once are all answered whole, each from a history of their own`, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-users-'))
  const telegram = await openTelegram({ flood: 'real' })
  const url = await createTestDatabase()
  const upstream = await startUpstream({ ...OLLAMA, answer: (question) => `Hello. ${question}` })
  const kopeck = await startKopeck({
    ...telegram.env,
    ...NO_SERVICE_LIMITS,
    OPENAI_BASE_URL: upstream.baseUrl,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
  })
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  // How the bot lives with 30 chats a minute is another story.
  await letMinutesFly(database)
  const users = Array.from({ length: USERS }, (_, index) => 1000 + index)

  const asked = new Map(users.map((user) => [user, telegram.say(user, `I am number ${user}`)]))
  await expect
    .poll(
      async () => {
        const { rows } = await database.query(`SELECT count(*)::int FROM bot.turn
          WHERE state = 'finished' AND NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)`)
        return rows[0]?.count
      },
      { timeout: 100_000 },
    )
    .toBe(USERS)

  const { rows } = await database.query<{ user: string; role: string; content: string }>(`
    SELECT conversation.chat_id AS user, role, content
    FROM bot.message JOIN bot.conversation ON conversation.id = conversation_id ORDER BY message.id`)
  for (const [user, askedId] of asked) {
    const history = rows.filter((row) => row.user === String(user))
    const shown = telegram
      .answers(user, askedId)
      .map(({ rich, text }) => lettersOf(rich?.markdown ?? text))
    expect(history.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(history[0]?.content).toBe(`I am number ${user}`)
    expect(history[1]?.content).toContain(`I am number ${user}`)
    expect(shown).toEqual([lettersOf(history[1]?.content)])
  }

  expect(await kopeck.stop()).toBe(0)
  await database.end()
  await telegram.close()
  await upstream[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true })
}, 120_000)
