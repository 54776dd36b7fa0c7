import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { estimateTokens } from '../../../src/contract/token-estimate.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import type { Checkout } from '../checkout.ts'
import { startKopeckBot } from '../contenders/bots/start-bot.ts'
import { inTurn } from '../in-turn.ts'
import { percentile } from '../measuring/percentiles.ts'
import type { BenchContext } from '../part.ts'
import { type Row, type Runs, type Table, toRow } from '../report/table.ts'
import { FORWARD_MS } from '../surroundings/forward-wait.ts'
import { measureEdits } from '../surroundings/growing-answers.ts'
import { startLocalService } from '../surroundings/local-service.ts'

/** The conversations that are measured: how many messages, and about how many tokens in all. */
const HISTORIES = [
  { messages: 10, tokens: 1_000 },
  { messages: 40, tokens: 10_000 },
  { messages: 200, tokens: 100_000 },
  { messages: 1_000, tokens: 500_000 },
  { messages: 2_000, tokens: 980_000 },
] as const
/** The lengths of the answers whose edits are measured, in characters. */
const ANSWERS_CHARS = [1_000, 10_000, 30_000, 100_000] as const
/** Each is asked in so often a round, one after the other. */
const TURNS = 5
/** The turns before the measured ones: they compile code, plan statements, open connections. */
const WARM_UP_TURNS = 3
const FIRST_USER_ID = 701
const WHOLE_MS_MAX = 30_000
/** The time after which all that a bot does after a whole reply is over, memory of a long history included. */
const BETWEEN_MS = 150
const CONTEXT_TOKENS = 4_000_000
/** The least worth a ratio: one of less would be one of noise. */
const LEAST_MS_MIN = 2

const SENTENCE = 'За копейку покупали баранку, and a kopeck saved is a rouble earned: 100 = 1. '

type History = (typeof HISTORIES)[number]

/** Milliseconds of one history in one round. */
interface Figures {
  toService: number
  /** One SELECT and one JSON.stringify of it: nothing that asks the service does less. */
  least: number
}

/** Measures what a long history costs before the service is asked, and what a long answer costs as it grows. */
export async function history(context: BenchContext): Promise<Table[]> {
  return [...(await measureHistories(context)), await measureAnswers(context)]
}

async function measureAnswers(context: BenchContext): Promise<Table> {
  const { checkouts } = context
  const runs = await inTurn(checkouts, context, (each) => measureEdits(each, ANSWERS_CHARS))
  return {
    title: 'Ever longer answers',
    says: 'The CPU of one edit, from its 50 deltas of four characters to the body of its call, in answers with lists, tables, code and formulas; the call itself is not in it. A message shows 3,000 characters, or 8,000 of a rich one: what stands in those before it is not read again.',
    columns: checkouts.map(({ name }) => name),
    rows: ANSWERS_CHARS.map((chars, index) =>
      toRow(runs, {
        name: `an edit at ${chars.toLocaleString('en')} characters`,
        unit: 'µs',
        pick: (run) => run[index],
      }),
    ).concat(
      toRow(runs, {
        name: 'at 30,000 characters ÷ at 1,000',
        unit: '×',
        digits: 2,
        goals: [{ is: 'at most', value: 1.5 }],
        pick: ([short, , long]) => (short && long ? long / short : undefined),
      }),
    ),
  }
}

/** Measures what comes before the service is asked, beside the least that it could cost. */
async function measureHistories(context: BenchContext): Promise<Table[]> {
  const seeded = new Map<Checkout, string>()
  const runs = await inTurn(context.checkouts, context, async (checkout) => {
    const url = seeded.get(checkout) ?? (await createSeeded(checkout, context))
    seeded.set(checkout, url)
    return await measure(checkout, await context.database.copy(url), context)
  })
  return [
    {
      title: 'Ever longer conversations',
      says: `From the update to the whole request at the service, median of ${TURNS} turns after ${WARM_UP_TURNS} to warm up; ${FORWARD_MS} ms of it are the wait for a forward. Growth is what a conversation takes longer than the one of ${HISTORIES[0].messages} messages, measured by the least there is: one SELECT of the history and one JSON.stringify of it.`,
      columns: context.checkouts.map(({ name }) => name),
      rows: HISTORIES.flatMap((each, index) => toRows(runs, each, index)),
    },
  ]
}

async function createSeeded(
  checkout: Checkout,
  { database, progress }: BenchContext,
): Promise<string> {
  const url = await database.create(checkout)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const [index, each] of HISTORIES.entries()) {
      progress(`seed ${each.tokens} tokens`)
      await seed(client, FIRST_USER_ID + index, each)
    }
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
  }
  return url
}

async function measure(
  checkout: Checkout,
  databaseUrl: string,
  context: BenchContext,
): Promise<Figures[]> {
  const { signal } = context
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
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    ends.push(() => client.end())
    const telegram = { token: playground.token, apiRoot }
    const bot = await startKopeckBot({ telegram, service, checkout, databaseUrl }, context)
    ends.push(bot.stop)

    const taken = HISTORIES.map((): Figures[] => [])
    for (let turn = 1 - WARM_UP_TURNS; turn <= TURNS; turn += 1) {
      for (const [index, figures] of taken.entries()) {
        const userId = FIRST_USER_ID + index
        const least = await measureLeast(client, userId)
        const toService = await ask(userId, `Question ${turn} of ${userId}`)
        if (turn > 0) figures.push({ toService, least })
      }
    }
    return taken.map((figures) => ({
      toService: percentile(
        figures.map(({ toService }) => toService),
        0.5,
      ),
      least: percentile(
        figures.map(({ least }) => least),
        0.5,
      ),
    }))

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
     ), talk AS (
       INSERT INTO bot.conversation (chat_id, warned_at) VALUES ($1, now()) RETURNING id
     ), turn AS (
       INSERT INTO bot.turn (conversation_id, user_id, chat_id, prompt_message_id, model, state,
         ended_at)
       SELECT talk.id, asker.id, $1, -number, 'bench-model', 'finished', now()
       FROM talk, asker, generate_series(1, $2::int) AS number
       RETURNING id, conversation_id
     )
     INSERT INTO bot.message (conversation_id, turn_id, role, content)
     SELECT conversation_id, id, role::bot.message_role, repeat($3, $4)
     FROM turn, unnest(ARRAY['user', 'assistant']) AS role`,
    [userId, messages / 2, SENTENCE, repeats],
  )
}

async function measureLeast(client: pg.Client, userId: number): Promise<number> {
  const startedAt = performance.now()
  const { rows } = await client.query({
    name: 'least',
    text: `SELECT role, content FROM bot.message JOIN bot.conversation ON conversation.id = conversation_id
      WHERE chat_id = $1 ORDER BY message.id`,
    values: [userId],
  })
  const json = JSON.stringify({ model: 'bench-model', messages: rows })
  if (json.length === 0) throw new Error('Nothing was read')
  return performance.now() - startedAt
}

function toRows(runs: Runs<Figures[]>, { messages, tokens }: History, index: number): Row[] {
  const name = `${messages.toLocaleString('en')} messages, ${tokens.toLocaleString('en')} tokens`
  const time = toRow(runs, {
    name,
    unit: 'ms',
    digits: 1,
    goals: index === 0 ? [{ is: 'at most', value: FORWARD_MS + 40 }] : [],
    pick: (run) => run[index]?.toService,
  })
  const growth = toRow(runs, {
    name: `${name}: growth ÷ the least`,
    unit: '×',
    digits: 1,
    goals: [{ is: 'at most', value: 3 }],
    pick: (run) => {
      const [shortest, { toService, least } = { toService: 0, least: 0 }] = [run[0], run[index]]
      return least < LEAST_MS_MIN ? undefined : (toService - (shortest?.toService ?? 0)) / least
    },
  })
  return index === 0 || Object.keys(growth.values).length === 0 ? [time] : [time, growth]
}
