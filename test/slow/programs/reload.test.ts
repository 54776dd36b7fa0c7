import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { YOU } from '../../playground/people.ts'
import { openPage } from '../../playground/web/open-page.ts'
import { type Kopeck, startKopeck } from '../../support/kopeck.ts'

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

// Promise: SERVICE_CONFIG is wrong when it is read again
test('SIGHUP has one process sell by the file as it is now; a file that is wrong changes nothing', async () => {
  const asked = await startService('one')
  const other = await startService('other')
  const sold = () => Promise.all([asked, other].map(models))

  await sell('second')
  process.kill(asked.pid, 'SIGHUP')

  await expect.poll(sold, SOON).toEqual([['second'], ['first']])

  await sell('')
  process.kill(asked.pid, 'SIGHUP')

  await expect
    .poll(() => asked.lines.join('\n'), SOON)
    .toMatch(/"problems":\["chat\.models\[0\]\.id: /)
  expect(await sold()).toEqual([['second'], ['first']])
})

// Promise: A key changes in `.env`
test('SIGHUP takes the new key of a .env; the log names the key that a process was started with', async () => {
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
  for (const { pid } of [taking, keeping]) process.kill(pid, 'SIGHUP')
  const log = ({ lines }: Kopeck) => lines.join('\n')
  await expect
    .poll(() => log(taking), SOON)
    .toContain('"newKeys":["UPSTREAM_API_KEY"],"keptKeys":[]')
  await expect
    .poll(() => log(keeping), SOON)
    .toContain('"newKeys":[],"keptKeys":["UPSTREAM_API_KEY"]')
  const after = [await ask(taking), await ask(keeping)]

  expect([...before, ...after]).toEqual([503, 503, 503, 503])
  expect(seen).toEqual(['sk-old', 'sk-old', 'sk-new', 'sk-old'].map((key) => `Bearer ${key}`))
  expect(log(taking) + log(keeping)).not.toContain('sk-')
})

test('a bot in the same process offers the new models at once, and says what is made now', async () => {
  const kopeck = await startService('one', {}, [])
  const { lines } = kopeck
  const root = () => lines.flatMap((line) => /^ +(http\S+)$/.exec(line)?.[1] ?? [])[0]
  await expect.poll(root, SOON).toBeDefined()
  const description = async () => (await openPage(root() ?? '', `as=${YOU}`)).state.bot.description
  await expect.poll(description, SOON).toMatch(/^Write anything, (?!.*I also make)/s)
  await sell('second', { type: 'demo' }, PICTURES)

  process.kill(kopeck.pid, 'SIGHUP')

  await expect.poll(description, SOON).toContain('I also make pictures.')
  await expect.poll(() => say(`${root()}/playground/chats/1`, '/model'), SOON).toContain('second')
})

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

async function say(chat: string, text: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  await fetch(`${chat}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })
  return (await fetch(chat)).text()
}
