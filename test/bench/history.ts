import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Part, Program } from './bench.ts'
import { startBot, startTelegram } from './bot.ts'

const TURNS = 5_000
const [LONG, SHORT] = [901, 902]
const QUESTION = '3 deltas, one every 20 ms after 50 ms'
const ASKED = 10
const READ = 20
/** Telegram's pace in a chat, and what follows a whole reply. */
const SETTLE_MS = 1_000
const CONVERSATION = `SELECT id FROM bot.conversation WHERE chat_id = ${LONG}`
/** Copies of a turn that was really answered, in all columns that the version under measurement has. */
const copy = (table: string, by: string, changed: string) => `
  INSERT INTO bot.${table} SELECT copied.* FROM generate_series(1, ${TURNS}) AS number, bot.${table} AS original,
    jsonb_populate_record(NULL::bot.${table}, to_jsonb(original) || jsonb_build_object(${changed})) AS copied
  WHERE original.${by} = (SELECT min(id) FROM bot.turn WHERE chat_id = ${LONG})
  ORDER BY copied.id`
const SEED = [
  copy('turn', 'id', `'id', 1000 + number, 'prompt_message_id', -number`),
  copy(
    'message',
    'turn_id',
    `'id', 10000 + 2 * number + CASE original.role WHEN 'assistant' THEN 1 ELSE 0 END,
     'turn_id', 1000 + number, 'content', repeat('word ', 20)`,
  ),
  ...['turn', 'message'].map(
    (table) => `SELECT setval('bot.${table}_id_seq', (SELECT max(id) FROM bot.${table}))`,
  ),
  'VACUUM ANALYZE',
]
const READ_MESSAGES = `
  SELECT role, content FROM bot.message WHERE conversation_id = (${CONVERSATION}) ORDER BY id`

/** A long conversation, beside the least that reading it can cost. */
export const history: Part = {
  about: `A conversation of ${TURNS} turns: ${ASKED} questions in it, minus ${ASKED} in a short one. Least: one SELECT of it and one JSON.stringify.`,
  async open(bench, { root }) {
    const telegram = await startTelegram(bench)
    const databaseUrl = await bench.createDatabase()
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, idleTimeoutMillis: 100 })
    const bot = await startBot(bench, root, { telegram, databaseUrl })
    await ask(LONG)
    await ask(SHORT)
    for (const statement of SEED) await pool.query(statement)
    await measureAsked(bot, LONG)
    await measureAsked(bot, SHORT)
    await readAll()
    return async () => {
      const long = await measureAsked(bot, LONG)
      const short = await measureAsked(bot, SHORT)
      const before = process.cpuUsage()
      const read = await bench.measure(process.pid, readAll)
      const { user, system } = process.cpuUsage(before)
      const leastMs = (user + system) / 1_000 / READ
      const nodeMs = (long.cpuMs - short.cpuMs) / ASKED
      return {
        'Node: CPU ms': nodeMs,
        'Node, least: CPU ms': leastMs,
        'Node ÷ least': nodeMs / leastMs,
        'PostgreSQL: CPU ms': (long.databaseCpuMs - short.databaseCpuMs) / ASKED,
        'PostgreSQL, least: CPU ms': read.databaseCpuMs / READ,
        'first text: ms later': (long.result - short.result) / ASKED,
      }
    }

    function measureAsked({ pid }: Program, userId: number) {
      return bench.measure(pid, async () => {
        let firstMs = 0
        for (let asked = 0; asked < ASKED; asked += 1) firstMs += await ask(userId)
        return firstMs
      })
    }

    async function ask(userId: number): Promise<number> {
      const [reply] = await telegram.askAll(bench, [userId], QUESTION)
      await delay(SETTLE_MS, undefined, { signal: bench.signal })
      return (reply?.firstAt ?? Number.NaN) - (reply?.askedAt ?? Number.NaN)
    }

    async function readAll(): Promise<void> {
      for (let read = 0; read < READ; read += 1) {
        const { rows } = await pool.query(READ_MESSAGES)
        if (rows.length < 2 * TURNS || JSON.stringify(rows) === '') throw new Error('Not seeded')
      }
    }
  },
}
