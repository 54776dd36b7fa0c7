import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openChaosHouse } from '../chaos-house.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom } from '../random.ts'
import { AT_REST, readTurnsReport } from './turns-report.ts'

const KILLS = IS_LONG ? 200 : 3
const CHATS = Array.from({ length: IS_LONG ? 50 : 20 }, (_, index) => 2000 + index)
const LIFE_MS_MAX = 4_000
const KILL_TIMEOUT_MS = 20_000
const REST_TIMEOUT_MS = 120_000

const IDLE_CHATS = `
  SELECT chat_id::int AS chat FROM unnest($1::int[]) AS chat (chat_id)
  WHERE NOT EXISTS (SELECT FROM bot.update
    WHERE handled_at IS NULL AND (payload #>> '{message,chat,id}')::bigint = chat_id)
  AND NOT EXISTS (SELECT FROM bot.turn WHERE turn.chat_id = chat.chat_id AND ended_at IS NULL)`

// Promise: A process is killed (`kill -9`)
test(`kill -9 of the bot at ${KILLS} random moments under ${CHATS.length} chats: each message is answered once or explained, and charged once`, {
  timeout: KILLS * KILL_TIMEOUT_MS + REST_TIMEOUT_MS,
}, async ({ onTestFailed }) => {
  onTestFailed(() => console.error(REPEAT))
  const random = createRandom(`${SEED} kills`)
  const house = await openChaosHouse({ bots: 1 })
  const { telegram, pool } = house
  const sent = new Map<number, string[]>(CHATS.map((chat) => [chat, []]))

  for (let kill = 1; kill <= KILLS; kill += 1) {
    await sayMore()
    // The random moment is what this test is about; nothing waits for its length.
    await delay(random.integer(0, LIFE_MS_MAX))
    await house.processes[0]?.process.kill()
    await sayMore()
    await house.processes[0]?.restart()
  }
  const total = [...sent.values()].reduce((sum, texts) => sum + texts.length, 0)
  const look = async () => (await pool.query(AT_REST, [total])).rows[0]?.isAtRest
  await expect.poll(look, { timeout: REST_TIMEOUT_MS, interval: 500 }).toBe(true)

  expect(await house.stop()).toEqual([0, 0])
  const report = await readTurnsReport(pool, telegram.playground, sent)
  process.stdout.write(`${KILLS} kills: ${JSON.stringify(report.counts)}\n`)
  expect(report.faults).toEqual([])
  expect(await findMoneyFaults(pool)).toEqual([])

  async function sayMore(): Promise<void> {
    const { rows } = await pool.query<{ chat: number }>(IDLE_CHATS, [CHATS])
    for (const { chat } of rows) {
      const texts = sent.get(chat) ?? []
      const text = `Note ${chat}-${texts.length}. Write 700 characters`
      texts.push(text)
      telegram.say(chat, text)
    }
  }
})
