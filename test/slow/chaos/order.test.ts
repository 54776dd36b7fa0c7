import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import type { Playground } from '../../../src/playground/playground.ts'
import { AT_REST, openChaosHouse } from './chaos-house.ts'
import { IS_LONG, REPEAT, SEED } from './length.ts'
import { createRandom } from './random.ts'

const ROUNDS = IS_LONG ? 5 : 1
const CHATS = IS_LONG ? 10 : 1
const MESSAGES = 15
const ROUND_TIMEOUT_MS = 120_000
const RUNS = ROUNDS * CHATS

const FIRST_MESSAGES = `
  SELECT message_ids AS "messageIds" FROM bot.turn WHERE chat_id = $1 ORDER BY prompt_message_id`

test(`${RUNS} runs of ${MESSAGES} messages at once: replies stand in the order of their questions, no call meets a 429`, {
  timeout: ROUNDS * ROUND_TIMEOUT_MS,
}, async () => {
  const random = createRandom(`${SEED} order`)
  // It refuses at the first excess: nothing is held back unseen.
  const house = await openChaosHouse({ telegram: { flood: 'eager' } })
  const { telegram, pool } = house
  const faults: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const chats = Array.from({ length: CHATS }, (_, index) => 3000 + round * CHATS + index)
    for (let number = 1; number <= MESSAGES; number += 1) {
      for (const chat of chats) {
        telegram.say(chat, `Note ${number}. Write ${random.integer(1, 8) * 100} characters`)
      }
    }
    const total = (round + 1) * CHATS * MESSAGES
    const look = async () => (await pool.query(AT_REST, [total])).rows[0]?.isAtRest
    await expect.poll(look, { timeout: ROUND_TIMEOUT_MS, interval: 500 }).toBe(true)
    for (const chat of chats) faults.push(...(await findMisplaced(pool, telegram.playground, chat)))
  }

  const refused = house.logged('call to Telegram failed').filter((line) => line.includes('flooded'))
  process.stdout.write(`${RUNS} runs: ${faults.length} misplaced, ${refused.length} × 429\n`)
  expect(faults, REPEAT).toEqual([])
  expect(refused, REPEAT).toEqual([])
})

/** @returns A sentence for each reply that stands above one to an earlier question, or does not stand in its chat. */
async function findMisplaced(pool: Pool, playground: Playground, chat: number): Promise<string[]> {
  const { rows } = await pool.query<{ messageIds: number[] }>(FIRST_MESSAGES, [chat])
  const shown = new Set(playground.transcript(chat).map(({ id }) => id))
  let lowest = 0
  return rows.flatMap(({ messageIds }, index) => {
    const isShown = messageIds.length > 0 && messageIds.every((id) => shown.has(id))
    const isBelow = messageIds.every((id) => id > lowest)
    lowest = Math.max(lowest, ...messageIds)
    const reply = `reply ${index + 1} in chat ${chat}, ${messageIds.join(' ')}`
    if (!isShown) return [`${reply}: not there`]
    return isBelow ? [] : [`${reply}: not below those before it`]
  })
}
