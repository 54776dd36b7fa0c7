import { setTimeout as delay } from 'node:timers/promises'
import { type Figures, type Part, percentile } from './bench.ts'
import { type Reply, startBot, startTelegram } from './bot.ts'

const USERS = Array.from({ length: 20 }, (_, index) => 7_001 + index)
/** Of each kind in a slice: five slices make twenty. */
const TIMES = 4
const THINKING_MS = 200
const SHAPE = `20 deltas, one every 100 ms after ${THINKING_MS} ms`
const BEGIN_INTERVAL_MS = 100
/** Between the end of a reply and the next question of its user. */
const PAUSE_MS = 2_000
/** A question without an end of its reply is lost after so long. */
const LOST_MS = 60_000
const HEARD_MS_MAX = 120_000
const POLL_MS = 100
/** A second answer to a question would have come by then. */
const SETTLE_MS = 5_000

/** Two processes on one database that are ended and started in turn. */
export const twoProcesses: Part = {
  about: `Two processes, ${USERS.length} chats that talk, answers of 2 s. ${TIMES} times in a slice one process is ended and started, in turn, first by SIGTERM, then by SIGKILL. Waits: for the first words, minus ${THINKING_MS} ms of the model. An answer in which its process is killed is cut short.`,
  async open(bench, { root }) {
    const telegram = await startTelegram(bench)
    const databaseUrl = await bench.createDatabase()
    const start = () => startBot(bench, root, { telegram, databaseUrl })
    const bots = [await start(), await start()]
    let questions = 0
    await telegram.askAll(bench, USERS, SHAPE)
    return async () => ({ ...(await measure('SIGTERM')), ...(await measure('SIGKILL')) })

    async function measure(signal: 'SIGTERM' | 'SIGKILL'): Promise<Figures> {
      const replies: Reply[] = []
      const ending = new AbortController()
      const talks = Promise.all(
        USERS.map(async (userId, index) => {
          await delay(index * BEGIN_INTERVAL_MS, undefined, { signal: bench.signal })
          while (!ending.signal.aborted) await talk(userId, replies)
        }),
      )
      // Where the bench closes meanwhile, they end by its signal.
      talks.catch(() => {})
      for (let times = 0; times < TIMES; times += 1) {
        await untilAllHeard(replies)
        await bots[times % 2]?.stop(signal)
        bots[times % 2] = await start()
      }
      await untilAllHeard(replies)
      ending.abort()
      await talks
      await delay(SETTLE_MS, undefined, { signal: bench.signal })
      const waitsMs = replies.flatMap(({ askedAt, firstAt }) =>
        firstAt === undefined ? [] : [firstAt - askedAt - THINKING_MS],
      )
      const countOf = (isMeant: (reply: Reply) => boolean) => replies.filter(isMeant).length
      return {
        [`${signal}: ms to the first words, longest`]: Math.max(...waitsMs),
        [`${signal}: ms to the first words, p50`]: percentile(waitsMs, 0.5),
        [`${signal}: questions`]: replies.length,
        [`${signal}: cut short`]: countOf(({ isCutShort }) => isCutShort),
        [`${signal}: lost`]: countOf((reply) => reply.wholeAt === undefined && !reply.isCutShort),
        [`${signal}: shown again, with a note`]: countOf(({ isShownAgain }) => isShownAgain),
        [`${signal}: answered twice`]: countOf(({ messageIds }) => messageIds.size > 1),
      }
    }

    async function talk(userId: number, replies: Reply[]): Promise<void> {
      questions += 1
      const name = `q${questions}:`
      const reply = telegram.ask(userId, `named ${name} ${SHAPE}`, name)
      replies.push(reply)
      const waiting = new AbortController()
      const signal = AbortSignal.any([waiting.signal, bench.signal])
      const lost = delay(LOST_MS, undefined, { signal }).catch(() => {})
      await Promise.race([reply.ended.promise, lost])
      waiting.abort()
      await delay(PAUSE_MS, undefined, { signal: bench.signal })
    }

    /** Waits until each chat has the first words of a reply to a question that was asked from now on. */
    async function untilAllHeard(replies: readonly Reply[]): Promise<void> {
      const now = performance.timeOrigin + performance.now()
      const hasHeard = (userId: number) =>
        replies.some(
          (reply) => reply.userId === userId && reply.askedAt >= now && reply.firstAt !== undefined,
        )
      for (let waitedMs = 0; !USERS.every(hasHeard); waitedMs += POLL_MS) {
        if (waitedMs >= HEARD_MS_MAX) throw new Error('A chat is not answered')
        await delay(POLL_MS, undefined, { signal: bench.signal })
      }
    }
  },
}
