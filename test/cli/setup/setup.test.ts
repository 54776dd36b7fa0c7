import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { CancelledError } from '../../../src/cli/setup/conversation.ts'
import { readEnvFile } from '../../../src/cli/setup/env-file.ts'
import { setUp } from '../../../src/cli/setup/setup.ts'
import { startProxyServer } from '../../platform/http/proxy-server.ts'
import { openPlayground } from '../../playground/open-playground.ts'
import {
  type Flavour,
  OLLAMA,
  OPENAI,
  OPENROUTER,
  startUpstream,
} from '../../service/config/openai/upstreams.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { createPerson } from './scripted-person.ts'

let path: string

beforeEach(async () => {
  const folder = await makeFolder()
  path = join(folder, '.env')
})

test('a token, a key and an admin are tried and written, and no secret is shown', async () => {
  const { token, env } = await openTelegram()
  await using upstream = await startUpstream(OPENAI)

  const { person, isDone } = await run(
    [token, 'sk-proj-local', upstream.baseUrl, '', '123456789', ''],
    env,
  )

  expect(isDone).toBe(true)
  expect(await readEnvFile(path)).toEqual({
    BOT_TOKEN: token,
    OPENAI_API_KEY: 'sk-proj-local',
    OPENAI_BASE_URL: upstream.baseUrl,
    ADMIN_IDS: '123456789',
  })
  expect(person.shown()).toContain('The token of @kopeck_playground_bot works.')
  expect(person.shown()).toContain('It looks like a key of OpenAI.')
  for (const secret of [token, token.slice(6, -6), 'sk-proj-local']) {
    expect(person.shown()).not.toContain(secret)
  }
})

test('a token and a key are tried through the proxies that are set', async () => {
  const { token, env } = await openTelegram()
  await using upstream = await startUpstream(OPENAI)
  const names = { 'telegram.test': '127.0.0.1', 'upstream.test': '127.0.0.1' }
  const [first, second] = [
    await startProxyServer({ protocol: 'socks5', names }),
    await startProxyServer({ names }),
  ]
  const apiRoot = env.TELEGRAM_API_ROOT.replace('127.0.0.1', 'telegram.test')
  const baseUrl = upstream.baseUrl.replace('127.0.0.1', 'upstream.test')

  const { person } = await run([token, 'sk-proj-local', baseUrl, '', '7', ''], {
    TELEGRAM_API_ROOT: apiRoot,
    TELEGRAM_PROXY: first.url,
    UPSTREAM_PROXY: second.url,
  })

  expect(person.shown()).toContain('The token of @kopeck_playground_bot works.')
  expect(person.shown()).toContain(' answers:')
  expect(first.asked).toEqual([new URL(apiRoot).host])
  expect(new Set(second.asked)).toEqual(new Set([new URL(baseUrl).host]))
})

test.each<[string, Flavour, string]>([
  ['OpenRouter', OPENROUTER, '1000 tokens in and 500 out cost ₽0.040131.'],
  ['Ollama', OLLAMA, '1000 tokens in and 500 out cost ₽0.'],
])('an upstream as %s answers, and what it costs is told', async (_, flavour, cost) => {
  await using upstream = await startUpstream(flavour)

  const { person } = await run(['', flavour.key ?? '', upstream.baseUrl, '', ''])

  expect(person.shown()).toContain(cost)
  expect(upstream.asked).toHaveLength(1)
  expect(await readEnvFile(path)).toEqual({
    ...(flavour.key !== undefined && { OPENAI_API_KEY: flavour.key }),
    OPENAI_BASE_URL: upstream.baseUrl,
  })
})

test('a token that Telegram does not know is asked for again, and so is one of another form', async () => {
  const { token, env } = await openTelegram()

  const { person } = await run(['no token', '123456:wrong', token, '', '', '', ''], env)

  expect(person.shown()).toContain('BOT_TOKEN: should be a bot token as BotFather gives it')
  expect(person.shown()).toMatch(/127\.0\.0\.1:\d+ rejected this token \(401 Unauthorized\)/)
  expect(await readEnvFile(path)).toEqual({ BOT_TOKEN: token })
})

test('without an answer from Telegram setup names the proxy setting, and may keep the token untried', async () => {
  const env = { TELEGRAM_API_ROOT: await findClosedAddress() }

  const { person } = await run(['123456:token', 'n', '', 'y', '', '', '', ''], env)

  expect(person.shown()).toContain(
    'does not answer (ECONNREFUSED). If it is blocked here, set TELEGRAM_PROXY=',
  )
  expect(await readEnvFile(path)).toEqual({ BOT_TOKEN: '123456:token' })
})

test('a key that is refused is told in the words of the upstream, and asked for again', async () => {
  await using upstream = await startUpstream(OPENAI)

  const { person } = await run([
    '',
    'sk-wrong-and-long-enough-to-have-ends',
    upstream.baseUrl,
    'sk-proj-local',
    '',
    '',
    '',
  ])

  expect(person.shown()).toContain('Incorrect API key provided')
  expect(person.shown()).not.toContain('sk-wrong-and')
  expect(await readEnvFile(path)).toMatchObject({ OPENAI_API_KEY: 'sk-proj-local' })
})

test('an upstream without an answer may be kept untried, with the models that were set for it', async () => {
  const baseUrl = await findClosedAddress()
  await writeFile(
    path,
    `OPENAI_BASE_URL=${baseUrl}\nOPENAI_MODELS=llama3.2\nOPENAI_PRICES=llama3.2=0.1/0.2\n`,
  )

  const { person } = await run(['', 'sk-one', '', 'y', ''])

  expect(person.shown()).toContain(`no answer from ${baseUrl}`)
  expect(await readEnvFile(path)).toEqual({
    OPENAI_API_KEY: 'sk-one',
    OPENAI_BASE_URL: baseUrl,
    OPENAI_MODELS: 'llama3.2',
    OPENAI_PRICES: 'llama3.2=0.1/0.2',
  })
})

test('a key that is taken out takes out what is set beside it, which a start would refuse', async () => {
  await writeFile(path, 'OPENAI_API_KEY=sk-old\nOPENAI_MODELS=a\nUSD_RUB=90\nPORT=4000\n')

  await run(['', '-', '', 'y'])

  expect(await readFile(path, 'utf8')).toBe('PORT=4000\n')
})

test('what a start would find wrong is told before anything is written, and what the shell sets besides', async () => {
  await using upstream = await startUpstream(OLLAMA)
  const env = { WEBHOOK_SECRET: 'x', OPENAI_BASE_URL: 'http://localhost:1/v1' }

  const { person } = await run(['', '', upstream.baseUrl, '', ''], env)

  expect(person.shown()).toContain('Note: Kopeck will not start: WEBHOOK_SECRET: needs PUBLIC_URL')
  expect(person.shown()).toContain(
    'Note: the shell also sets OPENAI_BASE_URL, which overrides the file',
  )
})

test('Ctrl-C writes nothing, whatever is asked', async () => {
  const { token, env } = await openTelegram()
  await using upstream = await startUpstream(OPENROUTER)
  const answers = [token, 'sk-or-v1-local', upstream.baseUrl, '', '7', '']

  for (let given = 0; given < answers.length; given += 1) {
    await expect(run(answers.slice(0, given), env)).rejects.toBeInstanceOf(CancelledError)
    await expect(readFile(path)).rejects.toThrow('ENOENT')
  }
  await run(answers, env)

  expect(await readEnvFile(path)).toMatchObject({ ADMIN_IDS: '7' })
})

/** Sets up with these answers; every one of them has to be asked for. */
async function run(answers: readonly string[], shell: Readonly<Record<string, string>> = {}) {
  const person = createPerson(answers)
  const written = await readEnvFile(path)
  const isDone = await setUp({
    conversation: person.conversation,
    env: { ...written, ...shell },
    path,
  })
  expect(person.left()).toEqual([])
  return { person, isDone }
}

async function openTelegram() {
  const { playground, apiRoot } = await openPlayground()
  return { token: playground.token, env: { TELEGRAM_API_ROOT: apiRoot } }
}

async function findClosedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
