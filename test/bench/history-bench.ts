import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { estimateTokens } from '../../src/contract/token-estimate.ts'
import { createPlayground } from '../../src/playground/playground.ts'
import { startBot } from './bot-contender.ts'
import { startLocalService } from './local-service.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { percentile } from './percentiles.ts'

/** The conversations that are measured: how many messages, and about how many tokens in all. */
const HISTORIES = [
  { messages: 10, tokens: 1_000 },
  { messages: 40, tokens: 10_000 },
  { messages: 200, tokens: 100_000 },
  { messages: 1_000, tokens: 500_000 },
  { messages: 2_000, tokens: 980_000 },
] as const
/** Each is measured so often, in turn. */
const ROUNDS = 9
/** Before them: code that is compiled, statements that are planned, connections that are open. */
const WARM_UP_ROUNDS = 3
const FIRST_USER_ID = 701
const WHOLE_MS_MAX = 30_000
/** What a bot does after the reply is whole is over by then, memory of a long history included. */
const BETWEEN_MS = 150
const CONTEXT_TOKENS = 4_000_000
/** Below it a ratio would be one of noise. */
const LEAST_MS_MIN = 2
/** The goal: at most so many times one SELECT and one JSON.stringify of the same history. */
const GOAL_RATIO = 3

const SENTENCE = 'За копейку покупали баранку, and a kopeck saved is a rouble earned: 100 = 1. '

type History = (typeof HISTORIES)[number]

/** Milliseconds, one of each round. */
interface Samples {
  toService: number[]
  select: number[]
  stringify: number[]
}

/** What a long history costs before the service is asked, beside the least that it could cost. */
export const historyBench: BenchPart = {
  title: 'history: from the update to the request, with ever longer conversations',
  run,
}

async function run({ database, signal, progress }: BenchContext): Promise<string> {
  const ends: (() => Promise<unknown>)[] = []
  try {
    const playground = createPlayground({ flood: 'off' })
    ends.push(() => playground.close())
    const { apiRoot } = await playground.listen()
    const service = await startLocalService({
      contextTokens: CONTEXT_TOKENS,
      shapeOf: () => ({ firstDeltaAfterMs: 0, deltas: 1, intervalMs: 0 }),
      deltaOf: (prompt) => `Answer to: ${prompt}`,
    })
    ends.push(() => service.close())
    const databaseUrl = await database.create()
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    ends.push(() => client.end())
    for (const [index, history] of HISTORIES.entries()) {
      progress(`history: seed ${history.tokens} tokens`)
      await seed(client, FIRST_USER_ID + index, history)
    }
    await client.query('VACUUM ANALYZE')
    const telegram = { token: playground.token, apiRoot }
    const bot = await startBot('kopeck', { telegram, service, databaseUrl, signal })
    ends.push(bot.stop)

    const samples = HISTORIES.map((): Samples => ({ toService: [], select: [], stringify: [] }))
    for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round += 1) {
      progress(`history: round ${round} of ${ROUNDS}`)
      for (const [index, taken] of samples.entries()) {
        const userId = FIRST_USER_ID + index
        const { select, stringify } = await measureLeast(client, userId)
        const toService = await ask(userId, `Question ${round} of ${userId}`)
        if (round < 1) continue
        taken.toService.push(toService)
        taken.select.push(select)
        taken.stringify.push(stringify)
      }
    }
    return toTable(samples)

    async function ask(userId: number, text: string): Promise<number> {
      signal.throwIfAborted()
      if (!playground.hasUser(userId)) playground.addUser({ id: userId, firstName: 'Bench' })
      const askedAt = performance.now()
      playground.userSends({ userId, text })
      const isWhole = () => playground.transcript(userId).at(-1)?.text === `Answer to: ${text}`
      const whole = playground.waitFor(isWhole, { timeoutMs: WHOLE_MS_MAX })
      whole.catch(() => {})
      await Promise.race([whole, bot.failed])
      await delay(BETWEEN_MS, undefined, { signal })
      const exchange = service.exchanges.get(text)
      if (exchange === undefined) throw new Error(`"${text}" did not come to the service`)
      return exchange.requestAt - askedAt
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** A conversation of whole turns, as the bot would have left it. */
async function seed(client: pg.Client, userId: number, { messages, tokens }: History) {
  const repeats = Math.round(tokens / messages / estimateTokens(SENTENCE))
  await client.query(
    `WITH asker AS (
       INSERT INTO bot."user" (id, first_name) VALUES ($1, 'Bench') RETURNING id
     ), place AS (
       INSERT INTO bot.conversation (chat_id, warned_at) VALUES ($1, now()) RETURNING id
     ), turn AS (
       INSERT INTO bot.turn (conversation_id, user_id, chat_id, prompt_message_id, model, state,
         ended_at)
       SELECT place.id, asker.id, $1, -number, 'bench-model', 'finished', now()
       FROM place, asker, generate_series(1, $2::int) AS number
       RETURNING id, conversation_id
     )
     INSERT INTO bot.message (conversation_id, turn_id, role, content)
     SELECT conversation_id, id, role::bot.message_role, repeat($3, $4)
     FROM turn, unnest(ARRAY['user', 'assistant']) AS role`,
    [userId, messages / 2, SENTENCE, repeats],
  )
}

/** One SELECT of the history and one JSON.stringify of it: nothing that asks the service does less. */
async function measureLeast(client: pg.Client, userId: number) {
  const startedAt = performance.now()
  const { rows } = await client.query({
    name: 'least',
    text: `SELECT role, content FROM bot.message JOIN bot.conversation ON conversation.id = conversation_id
      WHERE chat_id = $1 ORDER BY message.id`,
    values: [userId],
  })
  const readAt = performance.now()
  const json = JSON.stringify({ model: 'bench-model', messages: rows })
  if (json.length === 0) throw new Error('Nothing was read')
  return { select: readAt - startedAt, stringify: performance.now() - readAt }
}

function toTable(samples: readonly Samples[]): string {
  const header = [
    ...['messages', 'tokens, about', 'to the service, median, ms', 'worst'],
    ...['one SELECT', 'one JSON.stringify', 'growth ÷ both', 'goal'],
  ]
  const base = percentile(samples[0]?.toService ?? [], 0.5)
  const rows = HISTORIES.map(({ messages, tokens }, index) => {
    const { toService = [], select = [], stringify = [] } = samples[index] ?? {}
    const median = percentile(toService, 0.5)
    const least = percentile(select, 0.5) + percentile(stringify, 0.5)
    const grown = least < LEAST_MS_MIN ? '' : `${((median - base) / least).toFixed(2)}×`
    return [
      `${messages}`,
      `${tokens}`,
      median.toFixed(1),
      percentile(toService, 1).toFixed(1),
      percentile(select, 0.5).toFixed(1),
      percentile(stringify, 0.5).toFixed(1),
      grown,
      index === 0 ? '≤ 40 ms' : `≤ ${GOAL_RATIO}×`,
    ]
  })
  const rule = header.map(() => '---:')
  return [
    [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
    `Median of ${ROUNDS}, after ${WARM_UP_ROUNDS} to warm up. Growth is what a conversation takes longer than the one of ${HISTORIES[0].messages} messages.`,
  ].join('\n\n')
}
