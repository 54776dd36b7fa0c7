import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Part, readMemory } from './bench.ts'
import { startBot, startTelegram } from './bot.ts'

const ORDERS = 10_000
const WARM_UP_MS = 7_000
const SLICE_MS = 9_000
const USER = `INSERT INTO bot."user" (id, first_name) VALUES (801, 'Bench')`
const SEED = `
  INSERT INTO bot."order" (user_id, chat_id, kind, origin_key, reply_to_message_id, params, label, price_micro_rub,
    idempotency_key, state, task_id, generating_at)
  SELECT 801, 801, 'video', gen_random_uuid(), number, '{"prompt": "a fox", "aspect_ratio": "1280:720"}',
    'vidgen-720p-5s', 40000000, gen_random_uuid(), 'generating', number, now()
  FROM generate_series(1, ${ORDERS}) AS number`

/** Open orders of one bot, each polled every three seconds. */
export const orders: Part = {
  about: `${ORDERS} open orders, a poll each 3 s; ${SLICE_MS / 1_000} s of a new process after ${WARM_UP_MS / 1_000} s of warm-up. In time: at most 1 s late.`,
  async open(bench, { root }) {
    const telegram = await startTelegram(bench)
    const databaseUrl = await bench.createDatabase()
    const pool = new pg.Pool({ connectionString: databaseUrl, idleTimeoutMillis: 100 })
    const pollsUrl = `${(await bench.upstream()).address}/polls`
    // The first start migrates the database.
    await (await startBot(bench, root, { telegram, databaseUrl })).stop()
    for (const statement of [USER, SEED, 'VACUUM ANALYZE']) await pool.query(statement)
    return async () => {
      await pool.query('UPDATE bot."order" SET generating_at = now()')
      await fetch(pollsUrl, { method: 'DELETE' })
      const bot = await startBot(bench, root, { telegram, databaseUrl })
      await delay(WARM_UP_MS, undefined, { signal: bench.signal })
      await fetch(pollsUrl, { method: 'POST' })
      const used = await bench.measure(bot.pid, () =>
        delay(SLICE_MS, undefined, { signal: bench.signal }),
      )
      const figures = (await (await fetch(pollsUrl)).json()) as Record<string, number>
      const { tasks, polls = Number.NaN, inTime = Number.NaN } = figures
      if (tasks !== ORDERS) throw new Error(`Only ${tasks} of ${ORDERS} tasks were polled`)
      const { peakRssBytes } = await readMemory(bot.pid)
      await bot.stop()
      return {
        'polls in time: %': (inTime / polls) * 100,
        'polls/s': polls / (SLICE_MS / 1_000),
        'Node: CPU ms per 1,000 polls': (used.cpuMs / polls) * 1_000,
        'PostgreSQL: CPU ms per 1,000 polls': (used.databaseCpuMs / polls) * 1_000,
        'memory at the peak: MiB': peakRssBytes / 2 ** 20,
      }
    }
  },
}
