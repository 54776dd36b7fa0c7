import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { OPENROUTER, startUpstream } from '../../service/config/openai/upstreams.ts'
import {
  type Responder,
  refuses,
  startOpenAiServer,
} from '../../service/providers/openai-server.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'

const [ADMIN, USER] = [501, 502]
const KEY = 'sk-operator-0123456789'
const WRONG_KEY = refuses(
  401,
  JSON.stringify({ error: { code: 'invalid_api_key', message: `Incorrect API key: ${KEY}` } }),
)
const SET_UP_WRONG =
  'This model isn’t set up right, so it can’t answer. The bot’s admins know. Nothing was charged.'

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

test('SERVICE_URL of another API is reported to terminal, health, admins and users of the bot', async () => {
  const upstream = await startUpstream(OPENROUTER)
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const { kopeck, ask, alerts } = await startProgram({
    SERVICE_URL: upstream.baseUrl,
    SERVICE_API_KEY: OPENROUTER.key ?? '',
  })

  const sentence = 'SERVICE_URL is no service with this interface'
  const shown = () => kopeck.lines.filter((line) => line.startsWith('No answers yet: '))
  await expect.poll(shown).toEqual([expect.stringContaining(sentence)])
  const health = await fetch(`${kopeck.address}/healthz`)
  expect(health.status).toBe(503)
  expect(await health.text()).toContain(sentence)

  expect(await ask('Hello?')).toBe(
    'I’m not set up right, so I can’t answer. The bot’s admins know.',
  )

  await expect.poll(alerts).toEqual([expect.stringContaining('SERVICE_URL')])
})

async function start(responders: Responder[]) {
  const folder = await makeFolder()
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
  const serviceFile = join(folder, 'service.json')
  await writeFile(serviceFile, JSON.stringify({ chat: { models: [{ ...model, upstreams }] } }))
  return await startProgram({ SERVICE_CONFIG: serviceFile, UPSTREAM_KEY: KEY })
}

async function startProgram(env: Record<string, string>) {
  const dataDir = await makeFolder()
  const telegram = await openTelegram()
  onTestFinished(() => telegram.close())
  // Whom the bot cannot reach it cannot notify.
  const greeting = telegram.say(ADMIN, '/stop')
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL: await createTestDatabase(),
    DATA_DIR: dataDir,
    ADMIN_IDS: String(ADMIN),
    ...env,
  })
  onTestFinished(async () => void (await kopeck.stop()))
  await telegram.playground.waitFor(() => telegram.answers(ADMIN, greeting).length > 0)
  return { kopeck, ask, alerts }

  async function ask(text: string): Promise<string> {
    const asked = telegram.say(USER, text)
    const ended = () =>
      telegram.answers(USER, asked).map((answer) => answer.text ?? answer.rich?.markdown ?? '')
    await expect.poll(() => ended().at(-1), { timeout: 20_000 }).toMatch(/charged|admins know|Hi\./)
    return ended().at(-1) ?? ''
  }

  function alerts(): string[] {
    return telegram
      .answers(ADMIN, greeting)
      .flatMap(({ text = '' }) => (text.startsWith('For admins') ? [text] : []))
  }
}
