import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlayground, type Playground } from '../../../../src/playground/playground.ts'
import { npmStart, THIS_CHECKOUT } from '../../checkout.ts'
import { startKopeckBot } from '../../contenders/bots/start-bot.ts'
import { inTurn } from '../../in-turn.ts'
import { percentile } from '../../measuring/percentiles.ts'
import { startProgram } from '../../measuring/program.ts'
import type { BenchContext } from '../../part.ts'
import { type Table, toRow } from '../../report/table.ts'
import { startLocalService } from '../../surroundings/local-service.ts'
import { READER } from './grow-database.ts'

const TIMES = 3
const WARM_UP_TIMES = 1
const ANSWERED_MS_MAX = 60_000
const QUESTION = 'What is a kopeck?'
const COMMANDS = [
  ...['/usage', '/history', '/chats', '/chats word', '/orders', '/export'],
  ...['/spend', '/spend 1001', '/balance', '/users', '/users user1500', '/stats'],
]

/** Milliseconds by what was asked. */
type Run = ReadonlyMap<string, number>

interface Surroundings {
  telegram: { playground: Playground; apiRoot: string }
  databaseUrl: string
}

/** Measures how long an admin waits who has the longest conversation of a grown database. */
export async function measureCommands(
  databaseUrl: string,
  { says, messages }: { says: string; messages: number },
  context: BenchContext,
): Promise<Table> {
  // One Telegram for all rounds: the ids of another one's updates would begin anew, and the database knows them.
  const playground = createPlayground({ flood: 'off' })
  playground.addUser({ id: READER, firstName: 'Ada', languageCode: 'en' })
  const { apiRoot } = await playground.listen()
  const telegram = { playground, apiRoot }
  const runs = await inTurn([THIS_CHECKOUT], context, () =>
    measure({ telegram, databaseUrl }, context),
  ).finally(playground.close)
  const subjects = [QUESTION, ...COMMANDS, 'GET /metrics']
  const nameOf = (subject: string) =>
    subject === QUESTION
      ? `a question after ${messages.toLocaleString('en')} messages → whole request`
      : subject
  return {
    title: 'On a grown database',
    says: `${says} From the update to the first word of the answer, median of ${TIMES} times after one to warm up.`,
    columns: ['Kopeck'],
    rows: subjects.map((subject) =>
      toRow(runs, {
        name: nameOf(subject),
        unit: 'ms',
        digits: 1,
        pick: (run: Run) => run.get(subject),
      }),
    ),
  }
}

async function measure(
  { telegram: { playground, apiRoot }, databaseUrl }: Surroundings,
  context: BenchContext,
): Promise<Run> {
  const { signal, cores } = context
  const ends: (() => Promise<unknown>)[] = []
  try {
    let answeredAt = Number.NaN
    const service = await startLocalService({
      contextTokens: 4_000_000,
      shapeOf: () => ({ firstDeltaAfterMs: 0, deltas: 1, intervalMs: 0 }),
      deltaOf: () => {
        answeredAt = performance.now()
        return 'A hundredth'
      },
    })
    ends.push(() => service.close())
    const bot = await startKopeckBot(
      {
        telegram: { token: playground.token, apiRoot },
        service,
        checkout: THIS_CHECKOUT,
        databaseUrl,
        env: {
          ADMIN_IDS: `${READER}`,
          // The bot's own pace is not the subject.
          SEND_LIMITS: '{"private_per_second":1000,"private_burst":1000,"overall_per_second":1000}',
        },
      },
      context,
    )
    ends.push(bot.stop)
    const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
    ends.push(() => rm(dataDir, { recursive: true }))
    const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: '0' }
    const program = await npmStart(THIS_CHECKOUT, 'service')
    const served = await startProgram({ program, env, core: cores.measured, signal })
    ends.push(served.stop)

    const say = async (text: string) => {
      const startedAt = performance.now()
      const sentId = playground.userSends({ userId: READER, text }).message_id
      const isAnswered = () =>
        playground.transcript(READER).some(({ id, from }) => from === 'bot' && id > sentId)
      const answered = playground.waitFor(isAnswered, { timeoutMs: ANSWERED_MS_MAX })
      await Promise.race([answered, bot.failed])
      return (text === QUESTION ? answeredAt : performance.now()) - startedAt
    }
    const readMetrics = async () => {
      const startedAt = performance.now()
      const { status } = await fetch(`${served.address}/metrics`)
      if (status !== 200) throw new Error(`/metrics answered ${status}`)
      return performance.now() - startedAt
    }
    const run = new Map<string, number>()
    for (const text of [QUESTION, ...COMMANDS]) run.set(text, await medianOf(() => say(text)))
    run.set('GET /metrics', await medianOf(readMetrics))
    return run
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function medianOf(measureOnce: () => Promise<number>): Promise<number> {
  const samples: number[] = []
  for (let time = 1 - WARM_UP_TIMES; time <= TIMES; time += 1) {
    const ms = await measureOnce()
    if (time > 0) samples.push(ms)
  }
  return percentile(samples, 0.5)
}
