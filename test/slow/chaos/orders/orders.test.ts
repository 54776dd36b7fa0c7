import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { carryOut } from '../chaos-faults.ts'
import { openChaosHouse } from '../chaos-house.ts'
import type { ChaosFault } from '../chaos-plan.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom } from '../random.ts'
import { checkOrders } from './check-orders.ts'
import { startUnsteadyService } from './unsteady-service.ts'

const ORDERS = IS_LONG ? 200 : 15
const COMING_MS = IS_LONG ? 60_000 : 5_000
const FROZEN_MS = IS_LONG ? 30_000 : 8_500
const PAUSE_MS = { min: 2_000, max: 5_000 }
const FREEZES = 1 / 5
/** The number of faults before peace: an order that waits for its lease must come through. */
const FAULTS = IS_LONG ? 40 : 3
const REST_TIMEOUT_MS = 180_000
const FIRST_CHAT = 8_000

const AT_REST = `
  SELECT count(*) FILTER (WHERE ended_at IS NOT NULL) = $1 AND count(*) = $1
    AND NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL) AS "isAtRest"
  FROM bot."order"`

// Promise: Processes end or freeze every few seconds, creations lose their answers, half of all looks at tasks fail
test(`${ORDERS} orders over two processes, one of which ends or freezes every few seconds, and a service whose answers are lost: each clip is delivered once and paid for once, or its end is reported and nothing is charged`, {
  timeout: 60_000 + REST_TIMEOUT_MS + FAULTS * (FROZEN_MS + 20_000),
}, async ({ onTestFailed }) => {
  onTestFailed(() => console.error(REPEAT))
  const random = createRandom(`${SEED} orders`)
  const service = await startUnsteadyService({ seed: SEED })
  const house = await openChaosHouse({
    remote: {
      SERVICE_URL: service.baseUrl,
      SERVICE_API_KEY: 'key',
      MEDIA_PRICES_RUB: '{"vidgen-720p-5s":"40"}',
    },
  })
  const { telegram, pool } = house
  const asked = new Map<number, string>()

  const coming = comeOneByOne()
  for (let index = 0; index < FAULTS; index++) {
    await delay(random.integer(PAUSE_MS.min, PAUSE_MS.max))
    await carryOut(planFault(), house)
  }
  await coming
  const look = async () => (await pool.query(AT_REST, [ORDERS])).rows[0]?.isAtRest
  await expect.poll(look, { timeout: REST_TIMEOUT_MS, interval: 500 }).toBe(true)

  expect(await house.stop()).toEqual([0, 0])
  expect(await checkOrders(asked, { pool, telegram, service })).toEqual([])
  expect(await findMoneyFaults(pool)).toEqual([])

  async function comeOneByOne(): Promise<void> {
    for (let index = 0; index < ORDERS; index++) {
      const chat = FIRST_CHAT + index
      const prompt = `fox number ${index}`
      asked.set(chat, prompt)
      telegram.say(chat, `/video 5s ${prompt}`)
      await delay(COMING_MS / ORDERS)
    }
  }

  function planFault(): ChaosFault {
    const victim = random.integer(0, 1)
    if (random.chance(FREEZES)) return { kind: 'freeze', victim, ms: FROZEN_MS }
    return { kind: 'kill', victim, ms: random.integer(0, 2_000) }
  }
})
