import { setTimeout as delay } from 'node:timers/promises'
import { formatRub, fromWireRub } from '../../src/contract/money.ts'
import { findMoneyFaults } from '../slow/chaos/find-money-faults.ts'
import type { ClientAnswer } from '../slow/chaos/outages/clients.ts'
import { readTurnsReport } from '../slow/chaos/turns/turns-report.ts'
import { checkOrders } from './check-orders.ts'
import { type Cluster, PATRONI } from './cluster/cluster.ts'
import type { Fault } from './faults.ts'
import type { House } from './house.ts'
import { isGood, type RequestStream, startRequests } from './requests.ts'

/** Any of the demo's models. */
const MODEL = 'alpha-large'
const CHATS = Array.from({ length: 60 }, (_, index) => 7_000 + index)
const BUYERS = 6
/** Each buys once: a second order within a minute is asked about. */
const FIRST_BUYER = 8_000
/** Patroni's time until another node leads, and what we may need after that. */
const SERVED_MS_MAX = (PATRONI.ttl + PATRONI.loop_wait + 10) * 1_000
const BEFORE_MS = 1_500
const INTO_MS = 2_000
const BEFORE_MEND_MS = 500
const REST_MS_MAX = 120_000
/** How long nothing is mended that has to be. */
const UNMENDED_MS = 15_000
const MENDED_MS_MAX = 10_000
const LOOK_MS = 300

const UNENDED = `
  SELECT (SELECT count(*)::int FROM bot.update WHERE handled_at IS NULL) AS updates,
    (SELECT count(*)::int FROM bot.turn WHERE ended_at IS NULL) AS turns,
    (SELECT count(*)::int FROM bot."order" WHERE ended_at IS NULL) AS orders,
    (SELECT count(*)::int FROM service.hold WHERE state = 'held') AS holds,
    (SELECT count(*)::int FROM service.task WHERE status NOT IN ('success', 'fail')) AS tasks`

const SPENT = `
  SELECT coalesce(-sum(amount_micro_rub), 0)::text AS spent FROM service.entry
  WHERE account_id = (SELECT id FROM service.account WHERE name = 'clients') AND kind <> 'credit'`

/** What came of one round. */
export interface RoundReport {
  /** Undefined where it did not serve again before it was mended. */
  servedAgainMs: number | undefined
  /** How long it took to serve after it was mended; 0 where nobody noticed. */
  mendedMs: number
  restMs: number
  prompts: { sent: number; whole: number; explained: number; failed: number }
  orders: { delivered: number; failed: number }
  requests: { good: number; refused: number; broken: number }
  lost: number
  twice: number
  /** Sentences, one for each thing that must not be. */
  problems: string[]
}

/** What users have asked in all rounds so far. */
export interface Asked {
  prompts: Map<number, string[]>
  orders: Map<number, string[]>
}

/** Runs one round of a kind: asks, does the fault, has it mended once it is over, and judges when all is at rest. */
export async function runRound(
  fault: Fault,
  { cluster, house, asked }: { cluster: Cluster; house: House; asked: Asked },
): Promise<RoundReport> {
  const { telegram, pool, addresses, apiKey } = house
  await cluster.untilHealthy()
  await fault.prepare?.(cluster)
  const before = await judge(house, asked)
  const spentBefore = await readSpent()
  const requests = startRequests(addresses, apiKey, MODEL)
  const firstBuyer = FIRST_BUYER + asked.orders.size
  const buyers = Array.from({ length: BUYERS }, (_, index) => firstBuyer + index)
  askFor(CHATS.slice(0, 30), buyers.slice(0, 3))
  // The moment is what this is about.
  await delay(BEFORE_MS + Math.random() * 1_000)
  const faultMs = performance.now()
  const primary = await cluster.findPrimary()
  const mend = await fault.begin(cluster)
  await delay(INTO_MS)
  askFor(CHATS.slice(30, 45), buyers.slice(3, 5))
  if (!fault.keepsPrimary) await cluster.untilOtherThan(primary, SERVED_MS_MAX)
  const patienceMs = fault.servesOnlyMended ? UNMENDED_MS : SERVED_MS_MAX
  const isServed = await requests.untilSteady(faultMs, patienceMs)
  const servedAgainMs = isServed ? timeToServe(requests, faultMs) : undefined
  askFor(CHATS.slice(45), buyers.slice(5))
  await delay(BEFORE_MEND_MS)
  const mendMs = performance.now()
  await mend()
  await cluster.untilHealthy()
  await requests.untilSteady(performance.now(), SERVED_MS_MAX)
  const mendedMs = timeToServe(requests, mendMs)
  const answers = await requests.stop()
  const restMs = await untilAtRest()
  const spent = await readSpent()
  const after = await judge(house, asked)
  const held = promptsHeld(after.problems).difference(promptsHeld(before.problems))
  const isOfHeld = (problem: string) => held.has(promptOf(problem))
  const money = checkSpent(answers, spent - spentBefore)
  return {
    servedAgainMs,
    mendedMs,
    restMs: Math.round(restMs),
    prompts: {
      sent: after.counts.sent - before.counts.sent,
      whole: after.counts.finished - before.counts.finished,
      explained: after.counts.interrupted - before.counts.interrupted + held.size,
      failed: after.counts.failed - before.counts.failed,
    },
    orders: {
      delivered: after.orders.delivered - before.orders.delivered,
      failed: after.orders.failed - before.orders.failed,
    },
    requests: {
      good: answers.filter(isGood).length,
      refused: answers.filter(({ status }) => status !== 200).length,
      broken: answers.filter((one) => one.status === 200 && !isGood(one)).length,
    },
    lost: after.lost.length - before.lost.length + (money.isLost ? 1 : 0),
    twice: after.twice.length - before.twice.length,
    problems: [
      ...after.problems.filter(
        (problem) => !before.problems.includes(problem) && !(fault.asksFirst && isOfHeld(problem)),
      ),
      ...money.problems,
      ...house.ended,
      ...(isServed || fault.servesOnlyMended ? [] : ['not served again until it was mended']),
      ...((servedAgainMs ?? 0) > SERVED_MS_MAX ? [`served again after ${servedAgainMs} ms`] : []),
      ...(fault.servesOnlyMended && mendedMs > MENDED_MS_MAX ? [`mended for ${mendedMs} ms`] : []),
      ...(restMs < REST_MS_MAX ? [] : [`not at rest: ${JSON.stringify(await readUnended())}`]),
    ],
  }

  function askFor(chats: readonly number[], buyers: readonly number[]): void {
    for (const chat of chats) {
      const texts = asked.prompts.get(chat) ?? []
      asked.prompts.set(chat, texts)
      const text = `Note ${chat}-${texts.length}. Write 700 characters`
      texts.push(text)
      telegram.say(chat, text)
    }
    for (const buyer of buyers) {
      const prompt = `boat ${buyer}`
      asked.orders.set(buyer, [prompt])
      telegram.say(buyer, `/video 5s ${prompt}`)
    }
  }

  async function untilAtRest(): Promise<number> {
    const beganMs = performance.now()
    while (performance.now() - beganMs < REST_MS_MAX) {
      const unended = await readUnended()
      if (unended !== undefined && Object.values(unended).every((count) => count === 0)) break
      await delay(LOOK_MS)
    }
    return performance.now() - beganMs
  }

  async function readUnended(): Promise<Record<string, number> | undefined> {
    const read = pool.query<Record<string, number>>(UNENDED)
    return (await read.catch(() => ({ rows: [] }))).rows[0]
  }

  async function readSpent(): Promise<bigint> {
    const { rows } = await pool.query<{ spent: string }>(SPENT)
    return BigInt(rows[0]?.spent ?? 0)
  }
}

/** How long after an instant the first of all later requests was sent that are answered well. */
function timeToServe(requests: RequestStream, sinceMs: number): number {
  const badAtMs = requests.lastBadAtMs(sinceMs)
  if (badAtMs === undefined) return 0
  const servedAtMs = requests.firstGoodAfterMs(badAtMs) ?? performance.now()
  return Math.max(0, Math.round(servedAtMs - sinceMs))
}

/** Compares what clients read of their costs with what they were charged. */
function checkSpent(answers: readonly ClientAnswer[], spent: bigint) {
  const read = answers.reduce(
    (all, { costRub }) => all + (costRub === null ? 0n : fromWireRub(costRub)),
    0n,
  )
  const isLost = spent < read
  const sentence = `clients were charged ${formatRub(spent)} RUB and read ${formatRub(read)}`
  return { isLost, problems: spent === read ? [] : [sentence] }
}

/** The prompts whose users are asked first. */
function promptsHeld(problems: readonly string[]): Set<string> {
  return new Set(problems.filter((problem) => problem.endsWith(': ended as held')).map(promptOf))
}

function promptOf(problem: string): string {
  return problem.split(': ')[0] ?? ''
}

async function judge({ pool, telegram }: House, asked: Asked) {
  const turns = await readTurnsReport(pool, telegram.playground, asked.prompts, { mayFail: true })
  const orders = await checkOrders(pool, telegram, asked.orders)
  const isLost = (fault: string) => /: 0 turns$/.test(fault)
  const isTwice = (fault: string) => /turns$|messages that no turn knows|not once/.test(fault)
  const money = await findMoneyFaults(pool)
  return {
    counts: turns.counts,
    orders,
    lost: [...turns.faults.filter(isLost), ...orders.lost],
    twice: [...turns.faults.filter((one) => isTwice(one) && !isLost(one)), ...orders.twice],
    problems: [...turns.faults, ...orders.lost, ...orders.twice, ...orders.wrong, ...money],
  }
}
