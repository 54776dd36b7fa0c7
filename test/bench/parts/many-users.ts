import { setTimeout as delay } from 'node:timers/promises'
import { type Bot, findBots } from '../contenders/bots/start-bot.ts'
import { inTurn } from '../in-turn.ts'
import { type CpuTaken, measureCpu } from '../measuring/cpu.ts'
import { percentile } from '../measuring/percentiles.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import type { BenchContext } from '../part.ts'
import type { Goal } from '../report/goal.ts'
import { type Row, type Runs, type Table, toRow } from '../report/table.ts'
import type { AnswerShape } from '../surroundings/answer-shape.ts'
import { FORWARD_MS } from '../surroundings/forward-wait.ts'
import { type LocalService, startLocalService } from '../surroundings/local-service.ts'
import { createReply, deltaOf, isWhole, type Reply, readReply } from '../surroundings/replies.ts'
import { startTelegram, type TelegramProcess } from '../surroundings/telegram-client.ts'

const USERS = 50
const FIRST_USER_ID = 501
/** All answers end in the same instant: their last texts meet Telegram's limit together. */
const SHAPE: AnswerShape = { firstDeltaAfterMs: 200, deltas: 80, intervalMs: 100 }

const WARM_UP_USERS = 20
const FIRST_WARM_UP_ID = 301
const WARM_UP_SHAPE: AnswerShape = { firstDeltaAfterMs: 200, deltas: 20, intervalMs: 50 }
/** Telegram lets as much through as if nothing had been sent before. */
const REST_MS = 3_000
/** Past the last delta a reply that is not whole counts as lost. */
const WHOLE_MS_MAX = 30_000

interface Run {
  toFirstText: number[]
  firstDeltaToText: number[]
  toWhole: number[]
  ages: number[]
  cpu: CpuTaken
  peakRssMiB: number
  calls: number
  floods: number
  mostInASecond: number
  lost: number
}

/** Users who write in the same instant, with Telegram's limits in force and Telegram in a process of its own. */
export async function manyUsers(context: BenchContext): Promise<Table[]> {
  const bots = findBots(context)
  const runs = await inTurn(bots, context, (bot) => measure(bot, context))
  return [
    {
      title: `${USERS} users who write at once`,
      says: `New chats, after ${WARM_UP_USERS} others who warm the process up; answers of ${SHAPE.deltas} deltas, one every ${SHAPE.intervalMs} ms, by a model that thinks for ${SHAPE.firstDeltaAfterMs} ms, which no figure has in it; Telegram takes 30 calls a second. Of every update → first text ${FORWARD_MS} ms of ours are the wait for a forward. The bare bot edits once a second, paces nothing and keeps nothing.`,
      columns: bots.map(({ name }) => name),
      rows: toRows(runs),
    },
  ]
}

async function measure(bot: Bot, { database, signal }: BenchContext): Promise<Run> {
  const replies = new Map<number, Reply>()
  const ends: (() => Promise<unknown>)[] = []
  try {
    const telegram = await startTelegram(({ chatId, text, at }) => {
      replies.get(chatId)?.shows.push({ chars: text.length, at })
    })
    ends.push(telegram.close)
    const shapes = new Map<string, AnswerShape>()
    const service = await startLocalService({
      shapeOf: (prompt) => shapes.get(prompt) ?? WARM_UP_SHAPE,
      deltaOf: (_prompt, index) => deltaOf(index),
    })
    ends.push(service.close)
    const running = await bot.start({ telegram, service })
    ends.push(running.stop)

    const askAll = async (firstId: number, count: number, shape: AnswerShape) => {
      const asked = Array.from({ length: count }, (_, index) => createReply(firstId + index, shape))
      for (const reply of asked) {
        shapes.set(reply.text, shape)
        replies.set(reply.userId, reply)
        reply.askedAt = performance.now()
        telegram.ask(reply.userId, reply.text)
      }
      await Promise.race([untilWhole(asked, signal), running.failed])
      return asked
    }
    await askAll(FIRST_WARM_UP_ID, WARM_UP_USERS, WARM_UP_SHAPE)
    await delay(REST_MS, undefined, { signal })
    const before = await telegram.count()
    const { result: asked, cpu } = await measureCpu(
      { pid: running.pid, database: bot.usesDatabase ? database : undefined },
      () => askAll(FIRST_USER_ID, USERS, SHAPE),
    )
    const { peakRssBytes } = await readProcessFigures(running.pid)
    const counted = await count(telegram, before)
    return { ...readAll(asked, service), ...counted, cpu, peakRssMiB: peakRssBytes / 2 ** 20 }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** Those that never get there are counted: a bot that breaks under load is a result too. */
async function untilWhole(replies: readonly Reply[], signal: AbortSignal): Promise<void> {
  const { deltas, intervalMs } = replies[0]?.shape ?? SHAPE
  const deadline = performance.now() + deltas * intervalMs + WHOLE_MS_MAX
  while (performance.now() < deadline && !replies.every(isWhole)) {
    await delay(100, undefined, { signal })
  }
}

async function count(
  telegram: TelegramProcess,
  before: Awaited<ReturnType<TelegramProcess['count']>>,
) {
  const { calls, floods, mostInASecond } = await telegram.count()
  return { calls: calls - before.calls, floods: floods - before.floods, mostInASecond }
}

function readAll(replies: readonly Reply[], service: LocalService) {
  const read = replies.map((reply) => readReply(reply, service.exchanges.get(reply.text)))
  return {
    toFirstText: read.flatMap(({ toFirstText }) => toFirstText ?? []),
    firstDeltaToText: read.flatMap(({ firstDeltaToText }) => firstDeltaToText ?? []),
    toWhole: read.flatMap(({ toWhole }) => toWhole ?? []),
    ages: read.flatMap(({ ages }) => ages),
    lost: replies.filter((reply) => !isWhole(reply)).length,
  }
}

function toRows(runs: Runs<Run>): Row[] {
  const row = (
    name: string,
    unit: string,
    pick: (run: Run) => number | undefined,
    ...goals: Goal[]
  ) => toRow(runs, { name, unit, pick, goals })
  const atMost = (value: number): Goal => ({ is: 'at most', value })
  const share = (samples: number[], of: number) =>
    samples.length === 0 ? undefined : percentile(samples, of)
  return [
    row(
      'update → first text, p50',
      'ms',
      (run) => share(run.toFirstText, 0.5),
      atMost(FORWARD_MS + 150),
    ),
    row(
      'update → first text, p99',
      'ms',
      (run) => share(run.toFirstText, 0.99),
      atMost(FORWARD_MS + 800),
    ),
    row('first delta → first text, p50', 'ms', (run) => share(run.firstDeltaToText, 0.5)),
    row('last delta → whole text, p50', 'ms', (run) => share(run.toWhole, 0.5)),
    row('last delta → whole text, p99', 'ms', (run) => share(run.toWhole, 0.99), atMost(1_700)),
    row('age of what is seen when it is refreshed, p50', 'ms', (run) => share(run.ages, 0.5)),
    row('calls refused with 429', '', (run) => run.floods, atMost(0)),
    row('replies that never stood whole', '', (run) => run.lost, atMost(0)),
    row('most calls in any second', '', (run) => run.mostInASecond, atMost(30)),
    row('calls a reply', '', (run) => run.calls / USERS),
    row('1 reply: the process', 'CPU ms', (run) => run.cpu.processMs / USERS),
    row('1 reply: PostgreSQL', 'CPU ms', (run) => run.cpu.databaseMs && run.cpu.databaseMs / USERS),
    row('1 reply: both', 'CPU ms', (run) => run.cpu.allMs / USERS, {
      is: 'at most',
      value: 1.5,
      times: 'bare',
    }),
    row('peak resident memory', 'MiB', (run) => run.peakRssMiB),
  ]
}
