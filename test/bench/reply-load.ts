import { setTimeout as delay } from 'node:timers/promises'
import type { AnswerShape } from './local-service.ts'
import type { BenchContext } from './part.ts'
import { readProcessFigures } from './process-figures.ts'
import { type Asked, type ContenderName, openStage, type Stage } from './reply-stage.ts'

/** Replies at once, each in a chat of its own. */
export const REPLIES = 40
const FIRST_USER_ID = 501

const WARM_UP_ANSWER: AnswerShape = { firstDeltaAfterMs: 50, deltas: 10, intervalMs: 20 }
/** A good three seconds of writing: the last delta must not fall together with an edit a second. */
export const LOAD_ANSWER: AnswerShape = { firstDeltaAfterMs: 200, deltas: 60, intervalMs: 56 }
const REST_MS = 2_000
/** What a bot does after the reply is whole counts too. */
const SETTLE_MS = 300

/** What one run under load came to. */
export interface LoadFigures {
  cpuMsPerReply: number
  /** Of the database server, for this bot's work. */
  databaseCpuMsPerReply: number
  peakRssMiB: number
  callsPerReply: number
  /** Of each reply: from the last delta until it stood whole in its chat. */
  lastDeltaToWholeMs: number[]
  /** Calls that Telegram refused for coming too fast. */
  floods: number
}

/** Many replies at once, with Telegram's limits in force. */
export async function measureLoad(
  name: ContenderName,
  context: BenchContext,
): Promise<LoadFigures> {
  const stage = await openStage(name, 'real', context)
  try {
    await stage.untilWhole(askAll(stage, WARM_UP_ANSWER))
    await delay(REST_MS, undefined, { signal: context.signal })

    const { pid } = stage.contender
    const before = await readProcessFigures(pid)
    const databaseBefore = await context.database.readCpuMs()
    const callsBefore = countCalls(stage)
    const asked = askAll(stage, LOAD_ANSWER)
    const wholeAt = new Map<Asked, number>()
    await Promise.all(
      asked.map(async (one) => {
        await stage.untilWhole([one])
        wholeAt.set(one, performance.now())
      }),
    )
    await delay(SETTLE_MS, undefined, { signal: context.signal })
    const after = await readProcessFigures(pid)
    const databaseAfter = await context.database.readCpuMs()
    stage.checkAll()
    return {
      cpuMsPerReply: (after.cpuMs - before.cpuMs) / REPLIES,
      databaseCpuMsPerReply: (databaseAfter - databaseBefore) / REPLIES,
      peakRssMiB: after.peakRssBytes / 2 ** 20,
      callsPerReply: (countCalls(stage) - callsBefore) / REPLIES,
      lastDeltaToWholeMs: asked.map((one) => {
        const lastDeltaAt = stage.service.exchanges.get(one.text)?.lastDeltaAt
        return (wholeAt.get(one) ?? Number.NaN) - (lastDeltaAt ?? Number.NaN)
      }),
      floods: stage.playground.calls.filter(({ status }) => status === 429).length,
    }
  } finally {
    await stage.close()
  }
}

function askAll(stage: Stage, shape: AnswerShape): Asked[] {
  return Array.from({ length: REPLIES }, (_, index) => stage.ask(FIRST_USER_ID + index, shape))
}

function countCalls({ playground }: Stage): number {
  return playground.calls.filter(({ chatId }) => chatId !== 0).length
}
