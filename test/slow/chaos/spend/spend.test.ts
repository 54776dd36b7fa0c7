import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { carryOut, type PastFault } from '../chaos-faults.ts'
import { type ChaosHouse, openChaosHouse } from '../chaos-house.ts'
import { type ChaosFault, planFault } from '../chaos-plan.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom } from '../random.ts'
import { traceUpdates } from '../trace-updates.ts'
import { openUpstream } from '../unsteady-upstream.ts'
import { feed, NOTHING, readGoingOn } from './going-on.ts'
import { judgeSpend } from './judge-spend.ts'
import { writeServiceConfig } from './service-config.ts'
import { setLimits } from './set-limits.ts'
import { createSpendUsers } from './spend-users.ts'
import { createUnsteadyModel } from './unsteady-model.ts'

const MESSAGES = IS_LONG ? 6_000 : 60
const LONG_FAULTS = 40
/** Longer than any lease, and short enough that so many take ten minutes. */
const AWAY_MS_MAX = 25_000
const USERS = 50
const GROUPS = 3
const UNDER_WAY_MAX = IS_LONG ? 60 : 8
const PAUSE_MS = IS_LONG ? { min: 500, max: 3_000 } : { min: 1_000, max: 1_500 }
const REST_TIMEOUT_MS = 300_000
const VICTIMS = 3

/** The three that hurt most: all at once, longer than a lease, for good. */
const SHORT_FAULTS: readonly ChaosFault[] = [
  { kind: 'crash', ms: 500 },
  { kind: 'freeze', victim: 0, ms: 8_500 },
  { kind: 'kill', victim: 1, ms: 0 },
]

// Promise: Processes of the bot and of the service freeze, end and lose their database, PostgreSQL crashes, the model breaks off, counts wrongly and hangs, limits are reached
test(`${MESSAGES} questions and orders of ${USERS} users over two processes with faults on every side: each rouble that the service charged is its user's, an estimate or written off, and no limit is passed`, {
  timeout: 60_000 + REST_TIMEOUT_MS + MESSAGES * 400,
}, async ({ onTestFailed, onTestFinished }) => {
  onTestFailed(() => console.error(REPEAT))
  const model = createUnsteadyModel(createRandom(`${SEED} model`))
  const upstream = await openUpstream(model.respond)
  onTestFinished(() => upstream.close())
  const house = await openHouse(upstream.origin)
  const { telegram, pool } = house
  await traceUpdates(pool)
  const random = createRandom(`${SEED} users`)
  const users = createSpendUsers(telegram, { random, users: USERS, groups: GROUPS })
  users.begin()
  await setLimits(pool, random, { ...users, messages: MESSAGES })

  const faults: PastFault[] = []
  // Until all faults of the long look are over.
  const isFed = () => users.sent.length >= MESSAGES && (!IS_LONG || faults.length === LONG_FAULTS)
  await Promise.all([feed(pool, users, { underWayMax: UNDER_WAY_MAX, isFed }), goWrong()])
  const rest = { timeout: REST_TIMEOUT_MS, interval: 500 }
  await expect.poll(() => readGoingOn(pool), rest).toEqual(NOTHING)

  expect(await house.stop()).toEqual([0, 0, 0])
  const verdict = await judgeSpend(pool, { telegram, sent: users.sent, model, faults })
  process.stdout.write(`${verdict.bills}${inspect(verdict.figures, { breakLength: 120 })}\n`)
  const problems =
    verdict.problems.length === 0
      ? []
      : [...verdict.problems, ...house.logged('"msg":"update failed"')]
  expect(problems).toEqual([])

  async function goWrong(): Promise<void> {
    const luck = createRandom(`${SEED} faults`)
    const planned = IS_LONG
      ? Array.from({ length: LONG_FAULTS }, () =>
          planFault(luck, { victims: VICTIMS, awayMsMax: AWAY_MS_MAX }),
        )
      : SHORT_FAULTS
    for (const fault of planned) {
      // The moment and the length are what this test is about.
      await delay(luck.integer(PAUSE_MS.min, PAUSE_MS.max))
      process.stdout.write(`${users.sent.length} sent, ${JSON.stringify(fault)}\n`)
      const beganAt = new Date()
      await carryOut(fault, house)
      faults.push({ fault, beganAt, endedAt: new Date() })
    }
  }

  async function openHouse(origin: string): Promise<ChaosHouse> {
    const folder = await mkdtemp(join(tmpdir(), 'kopeck-spend-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    return openChaosHouse({
      crashes: true,
      // How the bot keeps Telegram's limits is another story.
      telegram: { flood: 'off' },
      env: await writeServiceConfig(folder, origin),
    })
  }
})
