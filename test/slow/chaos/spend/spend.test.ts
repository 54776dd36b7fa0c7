import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { Responder } from '../../../service/providers/openai-server.ts'
import { type ChaosFault, carryOut, planFault } from '../chaos-faults.ts'
import { type ChaosHouse, openChaosHouse } from '../chaos-house.ts'
import { findMoneyFaults } from '../find-money-faults.ts'
import { IS_LONG, REPEAT, SEED } from '../length.ts'
import { createRandom, type Random } from '../random.ts'
import { pickChatFault, playChat } from '../upstream-chats.ts'
import { openUpstream } from '../upstream-works.ts'
import { checkAnswers } from './check-answers.ts'
import { checkLimits } from './check-limits.ts'
import { checkOrderCharges } from './check-order-charges.ts'
import { checkTurnCharges } from './check-turn-charges.ts'
import { writeServiceConfig } from './service-config.ts'
import { createSpendUsers, findTag, IN_GROUPS } from './spend-users.ts'

const MESSAGES = IS_LONG ? 6_000 : 60
const LONG_FAULTS = 40
const USERS = 50
const GROUPS = 3
const UNDER_WAY_MAX = IS_LONG ? 60 : 8
const FEED_MS = 100
const PAUSE_MS = IS_LONG ? { min: 500, max: 3_000 } : { min: 1_000, max: 1_500 }
const REST_TIMEOUT_MS = 300_000
const VICTIMS = 3
const SERVICE = 2

/** The faults that hurt most: all at once, longer than a lease, for good, and a service without its database. */
const SHORT_FAULTS: readonly ChaosFault[] = [
  { kind: 'crash', ms: 500 },
  { kind: 'freeze', victim: 0, ms: 8_500 },
  { kind: 'kill', victim: 1, ms: 0 },
  { kind: 'silence', victim: SERVICE, ms: 12_000 },
]

const UNDER_WAY = `
  SELECT $1 - (SELECT count(*) FROM bot.update)
    + (SELECT count(*) FROM bot.update WHERE handled_at IS NULL)
    + (SELECT count(*) FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL)
    + (SELECT count(*) FROM bot."order" WHERE ended_at IS NULL AND state <> 'draft') AS "underWay"`

/** What has not ended, with all that is stored of it: it explains a run that never comes to rest. */
const GOING_ON = `
  SELECT 'update' AS kind, to_jsonb(row) AS row FROM bot.update AS row WHERE handled_at IS NULL
  UNION ALL SELECT 'turn', to_jsonb(row) FROM bot.turn AS row
    WHERE ended_at IS NULL OR lease_owner IS NOT NULL OR held_micro_rub IS NOT NULL
  UNION ALL SELECT 'order', to_jsonb(row) FROM bot."order" AS row
    WHERE ended_at IS NULL AND state <> 'draft' OR held_micro_rub IS NOT NULL
  UNION ALL SELECT 'request', to_jsonb(row) FROM service.request AS row WHERE ended_at IS NULL
  UNION ALL SELECT 'task', to_jsonb(row) FROM service.task AS row
    WHERE status NOT IN ('success', 'fail')`

const LIMITED_USERS = 0.4
const LIMITED_GROUPS = 0.7
/** The price of a message, orders among them, about. */
const MICRO_RUB_PER_MESSAGE = 2_000_000
const LIMIT_PERCENT = { min: 10, max: 70 }

const SET_LIMITS = `
  INSERT INTO bot.spend_limit (subject_id, period, amount_micro_rub, set_by)
  SELECT subject_id, period::bot.limit_period, amount, 1
  FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS own (subject_id, period, amount)`

test(`${MESSAGES} questions and orders of ${USERS} users over two processes with faults on every side: each question is answered once or ended with an offer, each video is delivered once, each rouble that the service charged is its user's, an estimate or written off, and no limit is passed`, {
  timeout: 60_000 + REST_TIMEOUT_MS + MESSAGES * 400,
}, async ({ onTestFailed, onTestFinished }) => {
  onTestFailed(() => console.error(REPEAT))
  const model = createUnsteadyModel(createRandom(`${SEED} model`))
  const upstream = await openUpstream(model.respond)
  onTestFinished(() => upstream.close())
  const house = await openHouse(upstream.origin)
  const { telegram, pool } = house
  const random = createRandom(`${SEED} users`)
  const users = createSpendUsers(telegram, { random, users: USERS, groups: GROUPS })
  users.begin()
  await setLimits()

  let faults = 0
  await Promise.all([feed(), goWrong()])
  await expect.poll(readGoingOn, { timeout: REST_TIMEOUT_MS, interval: 500 }).toEqual([])

  expect(await house.stop()).toEqual([0, 0, 0])
  const { sent } = users
  const answers = await checkAnswers(pool, { sent, telegram })
  const orders = await checkOrderCharges(pool, { sent, telegram })
  const turns = await checkTurnCharges(pool, sent)
  const limits = await checkLimits(pool)
  const figures = { answers: answers.counts, orders: orders.counts, charges: turns.counts }
  process.stdout.write(`${inspect({ ...figures, limits: limits.figures }, { breakLength: 120 })}\n`)
  const problems = [model, answers, orders, turns, limits].flatMap((each) => each.problems)
  const logged = problems.length === 0 ? [] : house.logged('"msg":"update failed"')
  expect([...problems, ...logged]).toEqual([])
  expect(await findMoneyFaults(pool)).toEqual([])

  /** Has users write whenever there is room. There is none while PostgreSQL is away. */
  async function feed(): Promise<void> {
    while (!isFed()) {
      const read = pool.query<{ underWay: string }>(UNDER_WAY, [users.updates()])
      const { rows } = await read.catch(() => ({ rows: [] }))
      const underWay = Number(rows[0]?.underWay ?? UNDER_WAY_MAX)
      for (let room = UNDER_WAY_MAX - underWay; room > 0 && !isFed(); room -= 1) users.act()
      await delay(FEED_MS)
    }
  }

  /** A long look goes on until all of its faults are over. */
  function isFed(): boolean {
    return users.sent.length >= MESSAGES && (!IS_LONG || faults === LONG_FAULTS)
  }

  async function goWrong(): Promise<void> {
    const luck = createRandom(`${SEED} faults`)
    const planned = IS_LONG
      ? Array.from({ length: LONG_FAULTS }, () => planFault(luck, VICTIMS))
      : SHORT_FAULTS
    for (const fault of planned) {
      // The moment and the length are what this test is about.
      await delay(luck.integer(PAUSE_MS.min, PAUSE_MS.max))
      process.stdout.write(`${users.sent.length} sent, ${JSON.stringify(fault)}\n`)
      await carryOut(fault, house)
      faults += 1
    }
  }

  async function readGoingOn(): Promise<unknown[]> {
    return (await pool.query(GOING_ON).catch(() => ({ rows: ['the database is away'] }))).rows
  }

  /** Gives some users and groups limits that they reach in the middle of the run. */
  async function setLimits(): Promise<void> {
    const ofUser = MESSAGES / USERS
    const ofGroup = (MESSAGES * IN_GROUPS) / GROUPS
    const { userIds, groupIds } = users
    const limited = [
      ...userIds.filter(() => random.chance(LIMITED_USERS)).map((id) => ({ id, count: ofUser })),
      ...groupIds.filter(() => random.chance(LIMITED_GROUPS)).map((id) => ({ id, count: ofGroup })),
    ]
    const amounts = limited.map(({ count }) => {
      const percent = random.integer(LIMIT_PERCENT.min, LIMIT_PERCENT.max)
      return Math.round((count * MICRO_RUB_PER_MESSAGE * percent) / 100)
    })
    const periods = limited.map(() => random.pick(['day', 'week', 'month', 'all'] as const))
    await pool.query(SET_LIMITS, [limited.map(({ id }) => id), periods, amounts])
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

interface Message {
  role: string
  content: string
}

const LONG_ANSWERS = 0.01

/**
 * A model on a bad line. Its answers are of any length and name the tag that they are about in their first and their
 * last words. It records what no careful client would send.
 */
function createUnsteadyModel(random: Random) {
  const problems: string[] = []
  return { problems, respond }

  function respond(body: unknown): Responder {
    const { messages } = body as { messages: Message[] }
    const tag = findTag(messages.at(-1)?.content ?? '')
    if (tag === undefined) throw new RangeError('Cannot answer: the last message has no tag')
    problems.push(...findProblems(messages, tag))
    const count = random.chance(LONG_ANSWERS) ? 1_200 : random.integer(0, 12)
    const words = Array.from({ length: count }, () => random.pick(['копейка ', 'a coin ']))
    return playChat(pickChatFault(random), [`About ${tag}: `, ...words, `so ended ${tag}.`], random)
  }
}

/** The history is the chat's own: no message stands in it twice, and nothing is empty. */
function findProblems(messages: readonly Message[], tag: string): string[] {
  const problems: string[] = []
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  if (new Set(asked).size < asked.length) problems.push('a message stands in the history twice')
  if (messages.at(-1)?.role !== 'user') problems.push("the last message is not the user's")
  if (messages.some(({ content }) => content.trim() === '')) problems.push('a message is empty')
  return problems.map((problem) => `${tag}: ${problem}`)
}
