import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/keys/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { YOU } from '../../playground/people.ts'
import { openPage } from '../../playground/web/open-page.ts'
import { type Kopeck, startKopeck } from '../../support/kopeck.ts'

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')
const PICTURES = {
  'images/imagegen-generate': { prices_rub: { imagegen: '5' }, provider: { type: 'demo' } },
}
const SOON = { timeout: 15_000 }

let folder: string
let file: string
let url: string
let apiKey: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kopeck-reload-'))
  file = join(folder, 'service.json')
  url = await createTestDatabase()
  await sell('first')
  const pool = new pg.Pool({ connectionString: url })
  const { id } = await createAccount(pool, { name: 'shop', creditMicroRub: 1_000_000n })
  apiKey = await createApiKey(pool, id)
  await pool.end()
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

// Promise: One of several processes cannot take the new config
// Promise: SERVICE_CONFIG is wrong when it is read again
test('npm run reload has every process of the service sell by the file as it is now; one that cannot take it is named with the reason, a file that is wrong changes nothing', async () => {
  const withKey = await startService('one', { UPSTREAM_API_KEY: 'k' })
  const withoutKey = await startService('other')
  const sold = () => Promise.all([withKey, withoutKey].map(models))

  await sell('second')
  const taken = await reload()

  expect(taken.code).toBe(0)
  expect(taken.stdout.match(/taken: models 1, creation endpoints 0/g)).toHaveLength(2)
  expect(taken.stdout).toContain(String(withKey.pid))
  expect(await sold()).toEqual([['second'], ['second']])

  await sell('third', {
    type: 'openai',
    base_url: 'http://127.0.0.1:9/v1',
    model: 'm',
    api_key_env: 'UPSTREAM_API_KEY',
  })
  const refused = await reload(['--json'])

  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stdout).processes).toEqual([
    expect.objectContaining({ pid: withKey.pid, outcome: 'taken' }),
    expect.objectContaining({
      pid: withoutKey.pid,
      outcome: 'refused',
      problems: [expect.stringContaining('chat.models[0].provider.api_key_env: ')],
    }),
  ])
  expect(await sold()).toEqual([['third'], ['second']])

  await sell('')
  const wrong = await reload()
  process.kill(withKey.pid, 'SIGHUP')

  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toMatch(/^Nothing was changed: chat\.models\[0\]\.id: .*\n$/)
  await expect
    .poll(() => withKey.lines.join('\n'), SOON)
    .toMatch(/"problems":\["chat\.models\[0\]\.id: /)
  expect(await sold()).toEqual([['third'], ['second']])

  await sell('fourth')
  process.kill(withKey.pid, 'SIGHUP')

  // A signal is to one process.
  await expect.poll(sold, SOON).toEqual([['fourth'], ['second']])
})

// Promise: A key changes in `.env`
test('npm run reload takes the new key of a .env, and says which process still uses the one that it was started with', async () => {
  const seen: (string | undefined)[] = []
  const upstream = createServer(({ headers }, response) => {
    seen.push(headers.authorization)
    response.writeHead(503).end()
  })
  onTestFinished(() => void upstream.close())
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  const { port } = upstream.address() as AddressInfo
  const provider = { type: 'openai', base_url: `http://127.0.0.1:${port}/v1`, model: 'm' }
  await sell('first', { ...provider, api_key_env: 'UPSTREAM_API_KEY' })
  await writeFile(join(folder, '.env'), 'UPSTREAM_API_KEY=sk-old\n')
  const taking = await startService('one', {}, ['service'], { cwd: folder })
  const started = { UPSTREAM_API_KEY: 'sk-old' }
  const keeping = await startService('other', started, ['service'], { cwd: folder })
  const before = [await ask(taking), await ask(keeping)]

  await writeFile(join(folder, '.env'), 'UPSTREAM_API_KEY=sk-new\n')
  const { code, stdout } = await reload()
  const after = [await ask(taking), await ask(keeping)]

  expect([...before, ...after]).toEqual([503, 503, 503, 503])
  expect(seen).toEqual(['sk-old', 'sk-old', 'sk-new', 'sk-old'].map((key) => `Bearer ${key}`))
  expect(code).toBe(1)
  expect(stdout).toMatch(
    new RegExp(` ${taking.pid} .*: models 1, creation endpoints 0, new UPSTREAM_API_KEY\\n`),
  )
  expect(stdout).toMatch(new RegExp(` ${keeping.pid} .*: models 1, creation endpoints 0\\n`))
  expect(stdout).toMatch(
    /\nProcess \d+ still uses the UPSTREAM_API_KEY that it was started with: its own environment has one, which counts before \.env\. Start it anew\.\n$/,
  )
  expect(stdout).not.toContain('sk-')
})

test('a bot in the same process offers the new models at once, and says what is made now', async () => {
  const kopeck = await startService('one', {}, [])
  const { lines } = kopeck
  const root = () => lines.flatMap((line) => /^ +(http\S+)$/.exec(line)?.[1] ?? [])[0]
  await expect.poll(root, SOON).toBeDefined()
  const shortDescription = async () =>
    (await openPage(root() ?? '', `as=${YOU}`)).state.bot.short_description
  await expect.poll(shortDescription, SOON).toMatch(/^Language models in one chat/)
  await sell('second', { type: 'demo' }, PICTURES)

  await reload()

  await expect.poll(shortDescription, SOON).toMatch(/^Language models and pictures in one chat/)
  await expect.poll(() => say(`${root()}/playground/chats/1`, '/model'), SOON).toContain('second')
})

test('where no process of the service runs, the file is checked all the same', async () => {
  const { code, stdout } = await reload()

  expect(code).toBe(0)
  expect(stdout).toContain('No process of the service runs')
})

/** Has the file name one model, and what is made besides answers. */
async function sell(
  id: string,
  provider: object = { type: 'demo' },
  generation: object = {},
): Promise<void> {
  const prices = { prompt_rub_per_1m: '150', completion_rub_per_1m: '600' }
  const model = { id, family: 'A', context_tokens: 1000, ...prices, provider }
  await writeFile(file, JSON.stringify({ chat: { models: [model] }, generation }))
}

async function startService(
  name: string,
  env: Record<string, string> = {},
  roles = ['service'],
  options: Parameters<typeof startKopeck>[2] = {},
): Promise<Kopeck> {
  const own = { DATABASE_URL: url, DATA_DIR: join(folder, name), SERVICE_CONFIG: file }
  const kopeck = await startKopeck({ ...own, ...env }, roles, options)
  onTestFinished(async () => {
    await kopeck.stop()
  })
  return kopeck
}

async function models({ address }: Pick<Kopeck, 'address'>): Promise<string[]> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${address}/api/v1/chats/models`, { headers })
  const { models: listed } = (await answer.json()) as { models: { id: string }[] }
  return listed.map(({ id }) => id)
}

/** Has the service ask its upstream. @returns The status. */
async function ask({ address }: Pick<Kopeck, 'address'>): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({
    model: 'first',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 1,
  })
  const answer = await fetch(`${address}/api/v1/chats/completions`, {
    method: 'POST',
    headers,
    body,
  })
  return answer.status
}

/** @returns All messages of the chat. */
async function say(chat: string, text: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  await fetch(`${chat}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })
  return (await fetch(chat)).text()
}

async function reload(args: readonly string[] = []) {
  const options = {
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: url, SERVICE_CONFIG: file },
    cwd: folder,
  }
  const command = [COMMAND, 'reload', ...args]
  return await promisify(execFile)(process.execPath, command, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), stdout, stderr }),
  )
}
