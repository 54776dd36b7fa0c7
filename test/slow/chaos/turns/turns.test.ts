import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LEASE_MS } from '../../../../src/platform/database/instance/instance.ts'
import { carryOut } from '../chaos-faults.ts'
import { openChaosHouse } from '../chaos-house.ts'
import { planRounds, SHORT_ROUNDS } from '../chaos-plan.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { checkCharges } from './check-charges.ts'
import { AT_REST, readTurnsReport } from './turns-report.ts'

const ROUNDS = IS_LONG ? planRounds({ seed: SEED, count: 60 }) : SHORT_ROUNDS
const CHATS = Array.from({ length: IS_LONG ? 60 : 20 }, (_, index) => 7000 + index)
/** The longest wait after a fault: until it is noticed, and a while for the answer. */
const REST_MS_MAX = LEASE_MS + 10_000
const REST_TIMEOUT_MS = 60_000
const ROUND_TIMEOUT_MS = 120_000

// Promise: Any of these, at random, with two processes and 60 messages in flight
test(`two processes, ${CHATS.length} prompts in flight, ${ROUNDS.length} faults of processes, clocks, connections and PostgreSQL: each prompt is answered once or ended once with its offer, every charge is explained`, {
  timeout: 60_000 + ROUNDS.length * ROUND_TIMEOUT_MS,
}, async ({ onTestFailed }) => {
  onTestFailed(() => console.error(REPEAT))
  const house = await openChaosHouse({ crashes: true })
  const { telegram, pool } = house
  const sent = new Map<number, string[]>(CHATS.map((chat) => [chat, []]))

  for (const [index, { afterMs, fault }] of ROUNDS.entries()) {
    const name = `round ${index + 1}, ${JSON.stringify({ afterMs, ...fault })}`
    for (const [chat, texts] of sent) {
      const text = `Note ${chat}-${texts.length}. Write 700 characters`
      texts.push(text)
      telegram.say(chat, text)
    }
    // The moment and the length are what this test is about.
    await delay(afterMs)
    await carryOut(fault, house)
    const restMs = await untilAtRest((index + 1) * CHATS.length, name)

    await check(`${name}, at rest after ${restMs} ms`)
    // It judges the time as well, so nothing else should run.
    if (IS_LONG) expect(restMs, name).toBeLessThan(REST_MS_MAX)
  }

  expect(await house.stop()).toEqual([0, 0, 0])
  // One that was frozen may have gone on with what had been done for it.
  await check('in the end')

  async function check(name: string): Promise<void> {
    const report = await readTurnsReport(pool, telegram.playground, sent, { mayFail: true })
    process.stdout.write(`${name}: ${JSON.stringify(report.counts)}\n`)
    expect(report.faults, name).toEqual([])
    expect(await checkCharges(pool), name).toEqual([])
    expect(await findMoneyFaults(pool), name).toEqual([])
  }

  async function untilAtRest(turns: number, name: string): Promise<number> {
    const beganAt = performance.now()
    const look = async () => (await pool.query(AT_REST, [turns])).rows[0]?.isAtRest
    await expect
      .poll(look, { timeout: REST_TIMEOUT_MS, interval: 200, message: `at rest after ${name}` })
      .toBe(true)
    return Math.round(performance.now() - beganAt)
  }
})
