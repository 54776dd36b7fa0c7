import { setTimeout as delay } from 'node:timers/promises'
import { type Figures, type Part, percentile } from './bench.ts'
import { startBot, startTelegram } from './bot.ts'

const COUNTS = [50, 100]
const WARM_UP_USERS = 30
const THINKING_MS = 200
/** The bot's wait for a forward that may follow a message. */
const FORWARD_MS = 200
/** All answers end at the same time, so that their last texts meet Telegram's limit together. */
const QUESTION = `80 deltas, one every 100 ms after ${THINKING_MS} ms`
const WARM_UP_QUESTION = `20 deltas, one every 50 ms after ${THINKING_MS} ms`
/** Telegram's limits are as if nothing had been sent before. */
const REST_MS = 3_000
const REFUSED_SHARE = 0.1

/** Users who write at the same time, with Telegram's limits. */
export const manyUsers: Part = {
  about: `${COUNTS.join(' and ')} users in new chats at once, answers of 8 s. First text: from the update, minus ${THINKING_MS} ms of the model.`,
  open: openUsers(COUNTS, 0),
}

/** The same with a Telegram that refuses calls: no reply may be lost. */
export const refusedCalls: Part = {
  about: `${COUNTS[0]} users in new chats at once; Telegram refuses ${REFUSED_SHARE * 100} % of the calls to a chat with 429, at random. A lost reply ends the bench.`,
  open: openUsers(COUNTS.slice(0, 1), REFUSED_SHARE),
}

function openUsers(counts: readonly number[], refusedShare: number): Part['open'] {
  return async (bench, { root }) => {
    const telegram = await startTelegram(bench, refusedShare)
    const databaseUrl = await bench.createDatabase()
    const { pid } = await startBot(bench, root, { telegram, databaseUrl })
    let users = 0
    await telegram.askAll(bench, newUsers(WARM_UP_USERS), WARM_UP_QUESTION)
    return async () => {
      const figures: Figures = {}
      for (const count of counts) Object.assign(figures, await measureUsers(count))
      return figures
    }

    async function measureUsers(count: number): Promise<Figures> {
      await delay(REST_MS, undefined, { signal: bench.signal })
      await telegram.countCalls()
      const userIds = newUsers(count)
      const used = await bench.measure(pid, () => telegram.askAll(bench, userIds, QUESTION))
      const replies = used.result
      const { calls, refused } = await telegram.countCalls()
      const firstMs = replies.map(({ askedAt, firstAt }) => firstAt - askedAt - THINKING_MS)
      const figures = {
        'first text: ms, p50': percentile(firstMs, 0.5),
        'first text: ms, p99': percentile(firstMs, 0.99),
        [`minus ${FORWARD_MS} ms for a forward: p50`]: percentile(firstMs, 0.5) - FORWARD_MS,
        'Node: CPU ms a reply': used.cpuMs / count,
        'PostgreSQL: CPU ms a reply': used.databaseCpuMs / count,
        'calls to Telegram a reply': calls / count,
        'calls refused with 429': refused,
        'replies shown twice': replies.filter(({ messageIds }) => messageIds.size > 1).length,
      }
      return Object.fromEntries(
        Object.entries(figures).map(([name, value]) => [`${count} users: ${name}`, value]),
      )
    }

    function newUsers(count: number): number[] {
      users += count
      return Array.from({ length: count }, (_, index) => 1_000 + users - index)
    }
  }
}
