import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import {
  type Flavour,
  OLLAMA,
  OPENAI,
  startUpstream,
} from '../../service/config/openai/upstreams.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const [USER, ADMIN] = [1, 2]
/** 1,000 tokens in and 500 out are what each upstream says that it used. */
const ANSWER = '4 kopecks, that is.'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kopeck-key-'))
})
afterAll(() => rm(dataDir, { recursive: true }))

test.each<[string, Flavour, Record<string, string>, { model: string; costMicroRub: string }]>([
  [
    'OpenAI',
    OPENAI,
    { OPENAI_PRICES: 'gpt-5-mini=0.25/2', USD_RUB: '100' },
    // It refuses `max_tokens`, and is asked again.
    { model: 'gpt-5-mini', costMicroRub: '125000' },
  ],
  ['Ollama', OLLAMA, {}, { model: 'llama3.2:latest', costMicroRub: '0' }],
])(
  'an upstream like %s and a token are a bot: it answers, at the price of the model',
  async (_, flavour, more, expected) => {
    await using upstream = await startUpstream(flavour)
    const { telegram, env, rows } = await setUp(
      { OPENAI_BASE_URL: upstream.origin, ...more },
      flavour,
    )
    const kopeck = await startKopeck(env)
    onTestFinished(() => void kopeck.stop())

    const asked = telegram.say(USER, 'What is a penny and three more?')

    await expect
      .poll(() => telegram.answers(USER, asked).map(({ text }) => text ?? ''), { timeout: 20_000 })
      .toContainEqual(expect.stringContaining(ANSWER))
    const charges = () =>
      rows(
        `SELECT hold.model, cost_micro_rub::text AS "costMicroRub", terms ->> 'usd' AS usd, charge.amount_micro_rub::text AS charged
       FROM service.request AS hold JOIN service.price ON price.id = price_id, bot.charge WHERE end_state = 'settled'`,
      )
    const usd = `${more.USD_RUB ?? '81.9'}000000`.replace('81.9000000', '81900000')
    await expect.poll(charges).toEqual([{ ...expected, usd, charged: expected.costMicroRub }])
    expect(kopeck.lines.join('\n')).toContain(expected.model)
    expect(kopeck.lines.join('\n')).not.toContain(flavour.key ?? 'no key')
    expect(await kopeck.stop()).toBe(0)
  },
)

test('an upstream that is away at the start: a user reads that the bot is not set up right, an admin why, and both go on when it is there', async () => {
  const first = await startUpstream(OLLAMA)
  await first[Symbol.asyncDispose]()
  const { telegram, env } = await setUp(
    { OPENAI_BASE_URL: first.baseUrl, ADMIN_IDS: String(ADMIN) },
    OLLAMA,
  )
  const kopeck = await startKopeck(env)
  onTestFinished(() => void kopeck.stop())
  const textsFor = (user: number) => telegram.answers(user, 0).map(({ text = '' }) => text)
  telegram.say(ADMIN, '/stop')
  telegram.say(USER, 'What is a penny and three more?')

  await expect
    .poll(() => textsFor(USER), { timeout: 20_000 })
    .toContain('I’m not set up right, so I can’t answer. The bot’s admins know.')
  const lines = kopeck.lines.join('\n')
  expect(lines).toContain(`OPENAI_BASE_URL: nobody answers at ${first.baseUrl}`)

  // An admin who had not written to the bot before could not be reached.
  process.kill(kopeck.pid, 'SIGHUP')
  await expect
    .poll(() => textsFor(ADMIN), { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/refuses to list its models.*check OPENAI_BASE_URL/s))
  await using _upstream = await startUpstream(OLLAMA, Number(new URL(first.baseUrl).port))
  process.kill(kopeck.pid, 'SIGHUP')
  await expect.poll(() => kopeck.lines.join('\n')).toContain('service config read again')
  const asked = telegram.say(USER, 'And now?')

  await expect
    .poll(() => telegram.answers(USER, asked).map(({ text = '' }) => text), { timeout: 20_000 })
    .toContainEqual(expect.stringContaining(ANSWER))
  expect(await kopeck.stop()).toBe(0)
})

async function setUp(more: Record<string, string>, { key }: Flavour) {
  const telegram = await openTelegram()
  const url = await createTestDatabase()
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  onTestFinished(async () => {
    await database.end()
    await telegram.close()
  })
  const env = {
    ...telegram.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    ...(key !== undefined && { OPENAI_API_KEY: key }),
    ...more,
  }
  const rows = async (sql: string) => (await database.query(sql)).rows
  return { telegram, env, rows }
}
