import { setTimeout as delay } from 'node:timers/promises'
import { type Part, percentile } from './bench.ts'
import { startBot, startTelegram } from './bot.ts'

const USER = 901
const QUESTIONS = 10
const QUESTION = '5 deltas, one every 40 ms after 400 ms'
const WARM_UP_QUESTIONS = 3
/** Longer than what follows a whole reply, and than Telegram's pace needs. */
const SETTLE_MS = 1_500

/** Round trips of one user's reply to PostgreSQL. */
export const statements: Part = {
  about: `One user asks ${QUESTIONS} questions; medians of these. Statements include BEGIN and COMMIT. Those of a rest as long as the reply are subtracted.`,
  async open(bench, { root }) {
    const telegram = await startTelegram(bench)
    const databaseUrl = await bench.createDatabase()
    const readStatements = await bench.logStatements(databaseUrl)
    await startBot(bench, root, { telegram, databaseUrl })
    const askedUrl = `${(await bench.upstream()).address}/asked`
    for (let asked = 0; asked < WARM_UP_QUESTIONS; asked += 1) await ask()
    return async () => {
      const replies: Awaited<ReturnType<typeof ask>>[] = []
      for (let asked = 0; asked < QUESTIONS; asked += 1) replies.push(await ask())
      const instants = await readStatements()
      const count = (from: number, to: number) =>
        instants.filter((at) => at >= from && at < to).length
      const median = (read: (reply: (typeof replies)[number]) => number) =>
        percentile(replies.map(read), 0.5)
      const perSecond = (from: number, to: number) => (count(from, to) / (to - from)) * 1_000
      return {
        'update to request: statements': median((reply) => count(reply.askedAt, reply.requestAt)),
        'update to request: ms': median((reply) => reply.requestAt - reply.askedAt),
        'whole reply: statements': median(
          (reply) => count(reply.askedAt, reply.endAt) - count(reply.endAt, reply.restedAt),
        ),
        'at rest: statements/s': median((reply) => perSecond(reply.endAt, reply.restedAt)),
      }
    }

    /** Asks, and then rests as long as the reply took. */
    async function ask() {
      const [reply] = await telegram.askAll(bench, [USER], QUESTION)
      const askedAt = reply?.askedAt ?? Number.NaN
      const requestAt = Number(await (await fetch(askedUrl)).json())
      await delay(SETTLE_MS, undefined, { signal: bench.signal })
      const endAt = Date.now()
      await delay(endAt - askedAt, undefined, { signal: bench.signal })
      return { askedAt, requestAt, endAt, restedAt: endAt + (endAt - askedAt) }
    }
  },
}
