import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import type { PlaygroundMessage } from '../../../src/playground/world/message.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'
import { type Growth, growDatabase, READER } from './grow-database.ts'
import { recordPlans } from './read-plans.ts'

const PLAN_FOR_SIXTH_RUN = pathToFileURL(join(import.meta.dirname, 'plan-for-sixth-run.ts')).href

const AT_REST = { timeout: 90_000, interval: 20 }

/** The pace of Telegram would be most of the time. */
const SEND_LIMITS = { private_per_second: 1_000, private_burst: 1_000, overall_per_second: 1_000 }

/** What is a year old is deleted. */
const BOT_RETENTION = { turns_days: 364, orders_days: 364, cards_days: 364, changes_days: 364 }

const DEMO = { type: 'demo' }
/** The built-in configuration in short, with what is a year old deleted. */
const SERVICE = {
  chat: {
    models: [
      {
        id: 'alpha-large',
        family: 'A',
        context_tokens: 1_000_000,
        provider: DEMO,
        prompt_rub_per_1m: '150',
        completion_rub_per_1m: '600',
        default_max_tokens: 4096,
      },
    ],
  },
  generation: {
    'videos/vidgen-generate': { prices_rub: { 'vidgen-720p-5s': '40' }, provider: DEMO },
    'images/imagegen-generate': { prices_rub: { imagegen: '5' }, provider: DEMO },
    'sounds/soundgen-generate': { prices_rub: { soundgen: '3' }, provider: DEMO },
  },
  retention: { callback_attempts_days: 364, holds_days: 364, media_days: 364 },
}

/** The whole program over a grown database, and an admin who has the longest conversation. */
export async function openHouse(growth: Growth) {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-growth-'))
  const url = await createTestDatabase()
  const database = openTestDatabase({ url })
  await growDatabase(database, growth)
  // Its plans are not looked at, since it is there before.
  const watcher = await database.pool.connect()
  const readPlans = await recordPlans(database.pool)
  const telegram = await openTelegram({ flood: 'off' })
  const { playground } = telegram
  playground.addUser({ id: READER, firstName: 'Ada', languageCode: 'en' })
  const configFile = join(dataDir, 'service.json')
  await writeFile(configFile, JSON.stringify(SERVICE))
  const env = {
    ...telegram.env,
    NODE_OPTIONS: `--import=${PLAN_FOR_SIXTH_RUN}`,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    ADMIN_IDS: String(READER),
    SERVICE_CONFIG: configFile,
    SEND_LIMITS: JSON.stringify(SEND_LIMITS),
    BOT_RETENTION: JSON.stringify(BOT_RETENTION),
  }
  let kopeck = await startKopeck(env)
  onTestFinished(async () => {
    await kopeck.stop()
    watcher.release()
    await database.close()
    await telegram.close()
    await rm(dataDir, { recursive: true })
  })
  return { url, write, press, killAmid, readPlans, root: () => kopeck.address, signIn, stop }

  async function stop(): Promise<void> {
    await kopeck.stop()
  }

  /** Has the admin write to the bot. @returns What came of it, when all is quiet again. */
  async function write(text: string): Promise<PlaygroundMessage[]> {
    const sentId = telegram.say(READER, text)
    await expect.poll(() => telegram.answers(READER, sentId).length, AT_REST).toBeGreaterThan(0)
    await expect.poll(isAtRest, AT_REST).toBe(true)
    return telegram.answers(READER, sentId)
  }

  /** Has the admin press each button of messages, as far as those before left it there. */
  async function press(messages: readonly PlaygroundMessage[]): Promise<void> {
    for (const { id: messageId, replyMarkup } of messages) {
      for (const data of buttonsOf(replyMarkup)) {
        const now = playground.transcript(READER).find(({ id }) => id === messageId)
        if (!buttonsOf(now?.replyMarkup).includes(data)) continue
        const id = playground.presses({ userId: READER, chatId: READER, messageId, data })
        await expect.poll(() => playground.pressed(id), AT_REST).toBeDefined()
        await expect.poll(isAtRest, AT_REST).toBe(true)
      }
    }
  }

  /** Kills the process while both are under way, and waits until the next one is done with them. */
  async function killAmid({ order, question }: { order: string; question: string }): Promise<void> {
    // A second order within a minute asks for a yes.
    await watcher.query(`UPDATE bot."order" SET created_at = created_at - interval '1 hour'`)
    telegram.say(READER, order)
    await expect.poll(() => isAny('order', 'generating'), AT_REST).toBe(true)
    telegram.say(READER, question)
    await expect.poll(() => isAny('turn', 'streaming'), AT_REST).toBe(true)
    await kopeck.kill()
    kopeck = await startKopeck(env)
    await expect.poll(isAtRest, AT_REST).toBe(true)
  }

  /** Makes the data that proves to the dashboard who opens it. */
  function signIn(): string {
    return playground.initData(READER)
  }

  async function isAny(what: 'order' | 'turn', state: string): Promise<boolean> {
    const { rowCount } = await watcher.query(
      `SELECT FROM bot."${what}" WHERE ended_at IS NULL AND state = $1 AND user_id = $2`,
      [state, READER],
    )
    return rowCount === 1
  }

  async function isAtRest(): Promise<boolean> {
    const { rows } = await watcher.query(
      `SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
         AND NOT EXISTS (SELECT FROM bot.turn WHERE ended_at IS NULL AND state IN ('waiting', 'streaming'))
         AND NOT EXISTS (SELECT FROM bot."order" WHERE ended_at IS NULL AND user_id = $1) AS at_rest`,
      [READER],
    )
    return rows[0]?.at_rest === true
  }
}

export type House = Awaited<ReturnType<typeof openHouse>>

function buttonsOf(markup: PlaygroundMessage['replyMarkup']): string[] {
  if (!markup || !('inline_keyboard' in markup)) return []
  return markup.inline_keyboard
    .flat()
    .flatMap((button) => ('callback_data' in button ? button.callback_data : []))
}
