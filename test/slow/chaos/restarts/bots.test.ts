import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openChaosHouse } from '../chaos-house.ts'
import { IS_LONG } from '../length.ts'
import { AT_REST } from '../turns/turns-report.ts'

const RESTARTS = IS_LONG ? 20 : 2
const CHATS = IS_LONG ? 20 : 4
const LOOK_MS = 20
/**
 * Between the first words of an answer and the next question: some of these wait for it. The long look asks no more than
 * one process may send to Telegram alone, so that its longest wait is that of a restart.
 */
const PAUSE_MS = IS_LONG ? 5_000 : 1_000

const TURNS = 'SELECT state, count(*)::int FROM bot.turn GROUP BY state'

// Promise: Processes behind a load balancer are stopped and started
test('two bots are restarted one after the other while people talk: each message is answered whole, once', {
  timeout: 60_000 + RESTARTS * 30_000,
}, async () => {
  const { telegram, pool, processes } = await openChaosHouse()
  const bots = processes.slice(0, 2)
  const talking = new AbortController()
  const waits: number[] = []
  const talks = Array.from({ length: CHATS }, (_, index) => talk(7001 + index))

  for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
    const bot = bots[restarts % bots.length]
    const answered = waits.length + CHATS
    await expect.poll(() => waits.length).toBeGreaterThanOrEqual(answered)
    expect(await bot?.process.stop()).toBe(0)
    await bot?.restart()
  }
  talking.abort()
  await Promise.all(talks)
  const isAtRest = async () => (await pool.query(AT_REST, [waits.length])).rows[0]?.isAtRest
  await expect.poll(isAtRest).toBe(true)

  if (IS_LONG) {
    const [longest = 0] = waits.toSorted((one, other) => other - one)
    console.info(`${RESTARTS} restarts, ${waits.length} messages, longest wait ${longest} ms`)
  }
  expect((await pool.query(TURNS)).rows).toEqual([{ state: 'finished', count: waits.length }])

  async function talk(userId: number): Promise<void> {
    while (!talking.signal.aborted) {
      const sentMs = performance.now()
      const id = telegram.say(userId, 'Write 300 characters')
      while (telegram.answers(userId, id).length === 0) await delay(LOOK_MS)
      waits.push(Math.round(performance.now() - sentMs))
      await delay(PAUSE_MS)
    }
  }
})
