import { setTimeout as delay } from 'node:timers/promises'
import { type Bench, nodeOf, type Part, type Program, percentile } from './bench.ts'
import type { Shown } from './telegram.ts'

const USERS = 50
const WARM_UP_USERS = 30
const THINKING_MS = 200
/** All answers end at the same time, so that their last texts meet Telegram's limit together. */
const QUESTION = `80 deltas, one every 100 ms after ${THINKING_MS} ms`
const WARM_UP_QUESTION = `20 deltas, one every 50 ms after ${THINKING_MS} ms`
/** Telegram's limits are as if nothing had been sent before. */
const REST_MS = 3_000
const WHOLE_MS_MAX = 45_000
const TOKEN = '4200000:bench-bench-bench-bench-bench-bench'

/** Users who write at the same time, with Telegram's limits. */
export const bot: Part = {
  about: `${USERS} users in new chats at once, answers of 8 s. First text: from the update, minus ${THINKING_MS} ms of the model; includes the 200 ms wait for a forward.`,
  async open(bench, { root }) {
    const chats = new Map<number, { askedAt: number; firstAt?: number; isWhole: boolean }>()
    let whole = Promise.withResolvers<void>()
    const telegram = await startTelegram(bench, ({ userId, text, at }) => {
      const chat = chats.get(userId)
      if (chat === undefined) return
      if (text.includes('kopeck')) chat.firstAt ??= at
      chat.isWhole ||= text.endsWith(' END')
      if ([...chats.values()].every(({ isWhole }) => isWhole)) whole.resolve()
    })
    const databaseUrl = await bench.createDatabase()
    const { pid } = await startBot(bench, root, { telegram, databaseUrl })
    let users = 0
    await askAll(WARM_UP_USERS, WARM_UP_QUESTION)
    return async () => {
      await delay(REST_MS, undefined, { signal: bench.signal })
      const used = await bench.measure(pid, () => askAll(USERS, QUESTION))
      const firstMs = used.result.map(({ askedAt, firstAt = Number.NaN }) => firstAt - askedAt)
      return {
        'first text: ms, p50': percentile(firstMs, 0.5) - THINKING_MS,
        'first text: ms, p99': percentile(firstMs, 0.99) - THINKING_MS,
        'Node: CPU ms a reply': used.cpuMs / USERS,
        'PostgreSQL: CPU ms a reply': used.databaseCpuMs / USERS,
      }
    }

    /** Asks as so many new users, and waits until all replies are whole. */
    async function askAll(count: number, text: string) {
      chats.clear()
      whole = Promise.withResolvers()
      for (let user = 0; user < count; user += 1) {
        users += 1
        const userId = 1_000 + users
        chats.set(userId, { askedAt: performance.timeOrigin + performance.now(), isWhole: false })
        telegram.child.send({ userId, text })
      }
      const late = delay(WHOLE_MS_MAX, 'late', { signal: bench.signal, ref: false })
      const replies = [...chats.values()]
      if ((await Promise.race([whole.promise, late])) === 'late') {
        const lost = replies.filter(({ isWhole }) => !isWhole).length
        throw new Error(`${lost} of ${count} replies are not whole after ${WHOLE_MS_MAX} ms`)
      }
      return replies
    }
  },
}

/** Starts the double of Telegram. */
export async function startTelegram(bench: Bench, onShown: (shown: Shown) => void = () => {}) {
  const { child, address } = await bench.startProgram(nodeOf('telegram.ts'), {
    env: { BOT_TOKEN: TOKEN },
    onMessage: (message) => onShown(message as Shown),
  })
  return { child, env: { BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: address } }
}

/** Starts the bot between the doubles of Telegram and of the service. */
export async function startBot(
  bench: Bench,
  root: string,
  surroundings: { telegram: Awaited<ReturnType<typeof startTelegram>>; databaseUrl: string },
): Promise<Program> {
  return bench.startKopeck(root, ['bot'], {
    ...surroundings.telegram.env,
    DATABASE_URL: surroundings.databaseUrl,
    DATA_DIR: await bench.makeFolder(),
    ALLOWED_USER_IDS: '*',
    SERVICE_URL: `${(await bench.upstream()).address}/api/v1`,
    SERVICE_API_KEY: 'bench-key',
    SERVICE_LIMITS: '{"chat":100000}',
  })
}
