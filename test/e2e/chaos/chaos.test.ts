import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LEASE_MS } from '../../../src/platform/database/instance-silence.ts'
import { readKillsReport } from '../kills-report.ts'
import { carryOut } from './chaos-faults.ts'
import { openChaosHouse } from './chaos-house.ts'
import { planRounds, SHORT_ROUNDS } from './chaos-plan.ts'
import { checkCharges } from './check-charges.ts'

/** CHAOS_ROUNDS=60 for a long look, at random: it judges the time as well, so nothing else should run. */
const LONG_ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 0)
/** CHAOS_SEED repeats the rounds of a run; the race in each is new. */
const SEED = process.env.CHAOS_SEED ?? String(randomInt(1_000_000))
const ROUNDS = LONG_ROUNDS > 0 ? planRounds({ seed: SEED, count: LONG_ROUNDS }) : SHORT_ROUNDS
const CHATS = Array.from({ length: 60 }, (_, index) => 7000 + index)
/** Nobody waits longer after a fault: until it is noticed, and a while for the answer. */
const REST_MS_MAX = LEASE_MS + 10_000
const REST_TIMEOUT_MS = 60_000
const ROUND_TIMEOUT_MS = 120_000

const AT_REST = `
  SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
     AND NOT EXISTS (SELECT FROM bot.turn WHERE state = 'streaming' OR ended_at IS NULL)
     AND NOT EXISTS (SELECT FROM service.hold WHERE state = 'held')
     AND (SELECT count(*) FROM bot.turn) = $1 AS "isAtRest"`

test(`two processes, ${CHATS.length} prompts in flight, ${ROUNDS.length} faults of processes, clocks, connections and PostgreSQL: each prompt is answered once or ended once with its offer, every charge is explained`, {
  timeout: 60_000 + ROUNDS.length * ROUND_TIMEOUT_MS,
}, async ({ onTestFailed }) => {
  if (LONG_ROUNDS > 0) {
    onTestFailed(() => console.error(`To repeat: CHAOS_SEED=${SEED} CHAOS_ROUNDS=${LONG_ROUNDS}`))
  }
  const house = await openChaosHouse()
  const { telegram, pool } = house
  const said = new Map<number, string[]>(CHATS.map((chat) => [chat, []]))

  for (const [index, { afterMs, fault }] of ROUNDS.entries()) {
    const name = `round ${index + 1}, ${JSON.stringify({ afterMs, ...fault })}`
    for (const [chat, texts] of said) {
      const text = `Note ${chat}-${texts.length}. Write 700 characters`
      texts.push(text)
      telegram.say(chat, text)
    }
    // The moment and the length are what this test is about.
    await delay(afterMs)
    await carryOut(fault, house)
    const restMs = await untilAtRest((index + 1) * CHATS.length, name)

    await check(`${name}, at rest after ${restMs} ms`)
    if (LONG_ROUNDS > 0) expect(restMs, name).toBeLessThan(REST_MS_MAX)
  }

  expect(await house.stop()).toEqual([0, 0, 0])
  // One that was frozen may have gone on with what had been done for it.
  await check('in the end')

  async function check(name: string): Promise<void> {
    const report = await readKillsReport(pool, telegram.playground, said, { mayFail: true })
    process.stdout.write(`${name}: ${JSON.stringify(report.counts)}\n`)
    expect(report.faults, name).toEqual([])
    expect(await checkCharges(pool), name).toEqual([])
    expect((await pool.query('SELECT * FROM service.ledger_fault')).rows, name).toEqual([])
  }

  /** @returns How long it took from the end of the fault on. */
  async function untilAtRest(turns: number, name: string): Promise<number> {
    const beganAt = performance.now()
    const look = async () => (await pool.query(AT_REST, [turns])).rows[0]?.isAtRest
    await expect
      .poll(look, { timeout: REST_TIMEOUT_MS, interval: 200, message: `at rest after ${name}` })
      .toBe(true)
    return Math.round(performance.now() - beganAt)
  }
})
