import { setTimeout as delay } from 'node:timers/promises'
import type { BotName } from './bot-contender.ts'
import type { AnswerShape } from './local-service.ts'
import type { BenchContext } from './part.ts'
import { type Asked, type MediaSetup, openStage } from './reply-setup.ts'

const USERS = 16
const FIRST_USER_ID = 501
/** Five questions and their answers: what the measured request carries besides its own text. */
const TURNS_BEFORE = 5

/** Short, for the turns that make the history. */
const HISTORY_ANSWER: AnswerShape = { firstDeltaAfterMs: 10, deltas: 3, intervalMs: 5 }
const MEASURED_ANSWER: AnswerShape = { firstDeltaAfterMs: 50, deltas: 5, intervalMs: 20 }
/** A bot that paces itself has its burst back by then. */
const REST_MS = 2_000
/** What a bot does after the reply is whole is over by then. */
const BETWEEN_MS = 30

/** Milliseconds of each measured turn. */
export interface Latencies {
  toService: number[]
  toChat: number[]
  toWhole: number[]
}

/**
 * One user at a time, each with a history, no limits at Telegram.
 *
 * The turns that make the histories warm the process up.
 */
export async function measureLatency(name: BotName, context: BenchContext): Promise<Latencies> {
  const setup = await openStage(name, 'off', context)
  try {
    await makeHistories(setup)
    await delay(REST_MS, undefined, { signal: context.signal })
    const latencies: Latencies = { toService: [], toChat: [], toWhole: [] }
    for (const userId of userIds()) {
      const asked = setup.ask(userId, MEASURED_ANSWER)
      await setup.untilWhole([asked])
      const { toService, toChat, toWhole } = readLatency(setup, asked, performance.now())
      latencies.toService.push(toService)
      latencies.toChat.push(toChat)
      latencies.toWhole.push(toWhole)
      await delay(BETWEEN_MS, undefined, { signal: context.signal })
    }
    setup.checkAll()
    return latencies
  } finally {
    await setup.close()
  }
}

async function makeHistories(setup: MediaSetup): Promise<void> {
  for (let turn = 0; turn < TURNS_BEFORE; turn += 1) {
    await setup.untilWhole(userIds().map((userId) => setup.ask(userId, HISTORY_ANSWER)))
  }
}

function readLatency(setup: MediaSetup, asked: Asked, wholeAt: number) {
  const exchange = setup.service.exchanges.get(asked.text)
  const shownAt = setup.shownAt(asked)
  if (!exchange?.firstDeltaAt || !exchange.lastDeltaAt || shownAt === undefined) {
    throw new Error(`Nothing was seen of ${asked.key}`)
  }
  if (exchange.messages !== TURNS_BEFORE * 2 + 1) {
    throw new Error(`${asked.key} went to the service with ${exchange.messages} messages`)
  }
  return {
    toService: exchange.requestAt - asked.askedAt,
    toChat: shownAt - exchange.firstDeltaAt,
    toWhole: wholeAt - exchange.lastDeltaAt,
  }
}

function userIds(): number[] {
  return Array.from({ length: USERS }, (_, index) => FIRST_USER_ID + index)
}
