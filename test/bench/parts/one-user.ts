import { setTimeout as delay } from 'node:timers/promises'
import type { Bot } from '../contenders/bots/start-bot.ts'
import { findBots } from '../contenders/bots/start-bot.ts'
import { inTurn } from '../in-turn.ts'
import { percentile } from '../measuring/percentiles.ts'
import type { BenchContext } from '../part.ts'
import { type Table, toRow } from '../report/table.ts'
import type { AnswerShape } from '../surroundings/answer-shape.ts'
import { FORWARD_MS } from '../surroundings/forward-wait.ts'
import { type Asked, type BotStage, openBotStage } from './stages/bot-stage.ts'

const USERS = 16
const FIRST_USER_ID = 501
const WARM_UP_USERS = 8
const FIRST_WARM_UP_ID = 301
const FIRST_OF_ALL_ID = 201
/** Five questions and their answers: what a request in a warm chat carries besides its own text. */
const TURNS_BEFORE = 5
/** What is ours between an update and the request. */
const OWN_MS_MAX = 40

/** Short, for the turns that make the history. */
const HISTORY_ANSWER: AnswerShape = { firstDeltaAfterMs: 10, deltas: 3, intervalMs: 5 }
const MEASURED_ANSWER: AnswerShape = { firstDeltaAfterMs: 50, deltas: 5, intervalMs: 20 }
/** A bot that paces itself has its burst back by then. */
const REST_MS = 2_000
/** The time after which all that a bot does after a whole reply is over. */
const BETWEEN_MS = 30

/** Milliseconds of each measured turn. */
interface Latencies {
  toService: number[]
  toChat: number[]
  toWhole: number[]
}

interface Run {
  /** The time from the very first update to the request. */
  firstMs: number
  inNewChat: Latencies
  inWarmChat: Latencies
  /** Of questions that are answered again, to the request; the bare bot has no such command. */
  againMs: number[] | undefined
}

/** One user at a time: what stands between an update and the model, and between the model and the chat. */
export async function oneUser(context: BenchContext): Promise<Table[]> {
  const bots = findBots(context)
  const runs = await inTurn(bots, context, (bot) => measure(bot, context))
  const row = (name: string, pick: (run: Run) => readonly number[] | undefined) => ({
    name,
    unit: 'ms',
    digits: 1,
    pick: (run: Run) => {
      const taken = pick(run)
      return taken && percentile(taken, 0.5)
    },
  })
  return [
    {
      title: 'One user at a time',
      says: `Medians of ${USERS} users a round, after ${WARM_UP_USERS} others who warm the process up, and without limits at Telegram. A new chat is a user’s first word; a warm one has had ${TURNS_BEFORE} turns. Of every update → request of a text ${FORWARD_MS} ms of ours are a wait, for a forward that may follow its comment: they are in the figures and in their goal. A command waits for nothing: \`/retry\` has the last question answered again.`,
      columns: bots.map(({ name }) => name),
      rows: [
        toRow(
          runs,
          row('first update of a fresh process → whole request at the service', (run) => [
            run.firstMs,
          ]),
        ),
        toRow(runs, {
          ...row('new chat: update → whole request', (run) => run.inNewChat.toService),
          goals: [{ is: 'at most', value: FORWARD_MS + OWN_MS_MAX }],
        }),
        toRow(
          runs,
          row('warm chat: update → whole request', (run) => run.inWarmChat.toService),
        ),
        toRow(runs, {
          ...row('warm chat: /retry → whole request', (run) => run.againMs),
          goals: [{ is: 'at most', value: OWN_MS_MAX }],
        }),
        toRow(
          runs,
          row('warm chat: first delta → first text', (run) => run.inWarmChat.toChat),
        ),
        toRow(
          runs,
          row('warm chat: last delta → whole reply', (run) => run.inWarmChat.toWhole),
        ),
      ],
    },
  ]
}

async function measure(bot: Bot, context: BenchContext): Promise<Run> {
  const { signal } = context
  const stage = await openBotStage(bot, context)
  const rest = () => delay(REST_MS, undefined, { signal })
  try {
    const users = idsFrom(FIRST_USER_ID, USERS)
    const first = await askInTurn(stage, [FIRST_OF_ALL_ID], { messages: 1, signal })
    await makeHistories(stage, idsFrom(FIRST_WARM_UP_ID, WARM_UP_USERS), TURNS_BEFORE)
    await rest()
    const inNewChat = await askInTurn(stage, users, { messages: 1, signal })
    await makeHistories(stage, users, TURNS_BEFORE - 1)
    await rest()
    const warm = { messages: TURNS_BEFORE * 2 + 1, signal }
    const inWarmChat = await askInTurn(stage, users, warm)
    const firstMs = percentile(first.toService, 0.5)
    if (bot.name === 'bare') {
      stage.checkAll()
      return { firstMs, inNewChat, inWarmChat, againMs: undefined }
    }
    await rest()
    const again = await askInTurn(stage, users, { ...warm, ask: stage.askAgain })
    stage.checkAll()
    return { firstMs, inNewChat, inWarmChat, againMs: again.toService }
  } finally {
    await stage.close()
  }
}

async function makeHistories(stage: BotStage, userIds: number[], turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await stage.untilWhole(userIds.map((userId) => stage.ask(userId, HISTORY_ANSWER)))
  }
}

/** @param messages That each request has to have. */
async function askInTurn(
  stage: BotStage,
  userIds: number[],
  {
    ask = (userId) => stage.ask(userId, MEASURED_ANSWER),
    messages,
    signal,
  }: { ask?: (userId: number) => Asked; messages: number; signal: AbortSignal },
): Promise<Latencies> {
  const latencies: Latencies = { toService: [], toChat: [], toWhole: [] }
  for (const userId of userIds) {
    const asked = ask(userId)
    await stage.untilWhole([asked])
    const { toService, toChat, toWhole } = readLatency(stage, asked, messages, performance.now())
    latencies.toService.push(toService)
    latencies.toChat.push(toChat)
    latencies.toWhole.push(toWhole)
    await delay(BETWEEN_MS, undefined, { signal })
  }
  return latencies
}

function readLatency(stage: BotStage, asked: Asked, messages: number, wholeAt: number) {
  const exchange = stage.service.exchanges.get(asked.text)
  const shownAt = stage.shownAt(asked)
  if (!exchange?.firstDeltaAt || !exchange.lastDeltaAt || shownAt === undefined) {
    throw new Error(`Nothing was seen of ${asked.key}`)
  }
  if (exchange.messages !== messages) {
    throw new Error(`${asked.key} went to the service with ${exchange.messages} messages`)
  }
  return {
    toService: exchange.requestAt - asked.askedAt,
    toChat: shownAt - exchange.firstDeltaAt,
    toWhole: wholeAt - exchange.lastDeltaAt,
  }
}

function idsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}
