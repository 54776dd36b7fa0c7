import { setTimeout as delay } from 'node:timers/promises'
import { type BotName, startBot } from './bot-contender.ts'
import { type AnswerShape, type Exchange, startLocalService } from './local-service.ts'
import type { BenchContext } from './part.ts'
import { readProcessFigures } from './process-figures.ts'
import { startTelegram } from './telegram-client.ts'

const FIRST_USER_ID = 501
/** Users come one after the other: as fast as first texts can be sent with room left for edits. */
const START_EVERY_MS = 45
/** Past the last delta a reply that is not whole counts as lost. */
const WHOLE_MS_MAX = 60_000
const WARM_UP_MS = 1500

export interface LoadOptions {
  /** Replies at once, each in a chat of its own. */
  replies: number
  /** Of the shortest; the longest is half as long again. */
  writingMs: number
  intervalMs: number
}

/** What one load came to. Milliseconds. */
export interface LoadFigures {
  /** Of each refresh: how long the oldest piece that it added had been there unseen. */
  agesMs: number[]
  toChatMs: number[]
  toWholeMs: number[]
  cpuMsPerReply: number
  peakRssMiB: number
  callsPerReply: number
  floods: number
  mostInASecond: number
  /** Replies that never stood whole in their chats. */
  lost: number
}

interface Reply {
  userId: number
  text: string
  /** How long the answer is after each delta. */
  ends: number[]
  shape: AnswerShape
  shows: { chars: number; at: number }[]
}

/** Many replies at once, with Telegram's limits in force and Telegram in a process of its own. */
export async function measureLoad(
  name: BotName,
  { replies: count, writingMs, intervalMs }: LoadOptions,
  { database, signal }: BenchContext,
): Promise<LoadFigures> {
  const replies = new Map<string, Reply>()
  const byUser = new Map<number, Reply>()
  const ends: (() => Promise<unknown>)[] = []
  try {
    const telegram = await startTelegram(({ chatId, text, at }) => {
      byUser.get(chatId)?.shows.push({ chars: text.length, at })
    })
    ends.push(telegram.close)
    const service = await startLocalService({
      shapeOf: (prompt) => shapeOf(prompt),
      deltaOf: (_prompt, index) => deltaOf(index),
    })
    ends.push(service.close)
    const databaseUrl = await database.create()
    const bot = await startBot(name, { telegram, service, databaseUrl, signal })
    ends.push(bot.stop)
    telegram.ask(FIRST_USER_ID - 1, 'warm up')
    await delay(WARM_UP_MS, undefined, { signal })

    const before = await readProcessFigures(bot.pid)
    for (let index = 0; index < count; index += 1) {
      const reply = makeReply(index)
      replies.set(reply.text, reply)
      byUser.set(reply.userId, reply)
      telegram.ask(reply.userId, reply.text)
      await delay(START_EVERY_MS, undefined, { signal })
    }
    await Promise.race([untilWhole(), bot.failed])
    const after = await readProcessFigures(bot.pid)
    const { calls, floods, mostInASecond } = await telegram.count()
    const read = [...replies.values()].map((one) => readReply(one, service.exchanges.get(one.text)))
    return {
      agesMs: read.flatMap(({ agesMs }) => agesMs),
      toChatMs: read.flatMap(({ toChatMs }) => toChatMs),
      toWholeMs: read.flatMap(({ toWholeMs }) => toWholeMs),
      cpuMsPerReply: (after.cpuMs - before.cpuMs) / count,
      peakRssMiB: after.peakRssBytes / 2 ** 20,
      callsPerReply: calls / count,
      floods,
      mostInASecond,
      lost: [...replies.values()].filter((one) => !isWhole(one)).length,
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }

  function shapeOf(prompt: string): AnswerShape {
    return replies.get(prompt)?.shape ?? { firstDeltaAfterMs: 10, deltas: 3, intervalMs: 10 }
  }

  function makeReply(index: number): Reply {
    // Lengths that no two neighbours share: replies must not all end in one second.
    const stretch = 1 + ((index * 7) % 11) / 22
    const deltas = Math.round((writingMs * stretch) / intervalMs)
    let chars = 0
    const ends = Array.from({ length: deltas }, (_, at) => {
      chars += deltaOf(at).length
      return chars
    })
    const shape = { firstDeltaAfterMs: 200, deltas, intervalMs }
    const userId = FIRST_USER_ID + index
    return { userId, text: `Question ${index}: what does a kopeck buy?`, ends, shape, shows: [] }
  }

  /** Those that never get there are counted: a bot that breaks under load is a result too. */
  async function untilWhole(): Promise<void> {
    const longestMs = writingMs * 1.5 + START_EVERY_MS * count
    const deadline = performance.now() + longestMs + WHOLE_MS_MAX
    while (performance.now() < deadline && ![...replies.values()].every(isWhole)) {
      await delay(200, undefined, { signal })
    }
  }
}

function isWhole({ ends, shows }: Reply): boolean {
  return (shows.at(-1)?.chars ?? 0) >= (ends.at(-1) ?? 0)
}

function readReply({ ends, shows }: Reply, exchange: Exchange | undefined) {
  const deltasAt = exchange?.deltasAt ?? []
  const firstAt = deltasAt[0]
  const agesMs: number[] = []
  const whole = shows.find(({ chars }) => chars >= (ends.at(-1) ?? 0))
  let shown = 0
  let seen: number | undefined
  for (const { chars, at } of shows) {
    const unseenAt = deltasAt[shown]
    if (firstAt === undefined || at < firstAt || unseenAt === undefined) continue
    if (seen === undefined) seen = at
    else agesMs.push(at - unseenAt)
    while (shown < ends.length && (ends[shown] ?? 0) <= chars) shown += 1
  }
  const lastAt = exchange?.lastDeltaAt
  return {
    agesMs,
    toChatMs: firstAt === undefined || seen === undefined ? [] : [seen - firstAt],
    toWholeMs: whole === undefined || lastAt === undefined ? [] : [whole.at - lastAt],
  }
}

/** Plain words: what a bot makes of formatting is not the subject. */
function deltaOf(index: number): string {
  return index === 0 ? 'Answer:' : ` a kopeck buys thing ${index}`
}
