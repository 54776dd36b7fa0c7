import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../platform/database/test-database.ts'
import {
  DONE,
  delta,
  finish,
  type Responder,
  refuses,
  sends,
  startOpenAiServer,
} from '../service/providers/openai-server.ts'
import { startKopeck } from './kopeck.ts'
import { openTelegram } from './telegram-user.ts'

const [ADMIN, USER] = [501, 502]
const KEY = 'sk-operator-0123456789'
const WRONG_KEY = refuses(
  401,
  JSON.stringify({ error: { code: 'invalid_api_key', message: `Incorrect API key: ${KEY}` } }),
)
const ANSWERS = sends(delta('Hi.'), finish(), DONE)
const SET_UP_WRONG =
  'This model isn’t set up right, so it can’t answer. The bot’s admins know. Nothing was charged.'

// Promise: An upstream takes no request of ours: a wrong key, no money, no rights, a model that is not there
test('a key that its only upstream refuses: the user reads that it is not set up right, an admin once what to do', async () => {
  const { ask, alerts } = await start([WRONG_KEY])

  expect(await ask('Hello?')).toBe(SET_UP_WRONG)
  expect(await ask('And now?')).toBe(SET_UP_WRONG)

  await expect
    .poll(alerts)
    .toEqual([
      expect.stringMatching(
        /upstream-0 refuses to answer as alpha, with status 401\. It said: “invalid_api_key: Incorrect API key: \[hidden\]”\nIts key is wrong/,
      ),
    ])
})

// Promise: An upstream takes no request of ours: a wrong key, no money, no rights, a model that is not there
test('a key that one of two upstreams refuses: the user reads the answer, an admin what to do', async () => {
  const { ask, alerts } = await start([WRONG_KEY, ANSWERS])

  expect(await ask('Hello?')).toContain('Hi.')

  await expect.poll(alerts).toEqual([expect.stringContaining('upstream-0 refuses to answer')])
})

/** Starts the program on a model with these upstreams, in their order. */
async function start(responders: Responder[]) {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-misconfigured-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  const servers = await Promise.all(responders.map((responder) => startOpenAiServer(responder)))
  onTestFinished(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]()
  })
  const upstreams = servers.map(({ baseUrl }, index) => ({
    type: 'openai',
    name: `upstream-${index}`,
    base_url: baseUrl,
    api_key_env: 'UPSTREAM_KEY',
    model: 'm',
  }))
  const model = {
    ...{ id: 'alpha', family: 'A', context_tokens: 100_000 },
    ...{ prompt_rub_per_1m: '150', completion_rub_per_1m: '600' },
  }
  const serviceFile = join(dataDir, 'service.json')
  await writeFile(serviceFile, JSON.stringify({ chat: { models: [{ ...model, upstreams }] } }))
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    ADMIN_IDS: String(ADMIN),
    SERVICE_CONFIG: serviceFile,
    UPSTREAM_KEY: KEY,
  })
  onTestFinished(async () => void (await kopeck.stop()))
  const greeting = telegram.say(ADMIN, '/stop')
  await telegram.playground.waitFor(() => telegram.answers(ADMIN, greeting).length > 0)
  return { ask, alerts }

  async function ask(text: string): Promise<string> {
    const asked = telegram.say(USER, text)
    const ended = () =>
      telegram.answers(USER, asked).map((answer) => answer.text ?? answer.rich?.markdown ?? '')
    await expect.poll(() => ended().at(-1), { timeout: 20_000 }).toMatch(/charged|Hi\./)
    return ended().at(-1) ?? ''
  }

  function alerts(): string[] {
    return telegram
      .answers(ADMIN, greeting)
      .flatMap(({ text = '' }) => (text.startsWith('For admins') ? [text] : []))
  }
}
