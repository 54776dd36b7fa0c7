import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/api-keys.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { YOU } from '../../playground/people.ts'
import { openPage } from '../../playground/web/open-page.ts'
import { type Kopeck, startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'

const PICTURES = {
  'images/imagegen-generate': { prices_rub: { imagegen: '5' }, provider: { type: 'demo' } },
}
const SOON = { timeout: 15_000 }

let folder: string
let file: string
let url: string
let apiKey: string

beforeEach(async () => {
  folder = await makeFolder()
  file = join(folder, 'service.json')
  url = await createTestDatabase()
  await sell('first')
  const pool = new pg.Pool({ connectionString: url })
  const { id } = await createAccount(pool, { name: 'shop', creditMicroRub: 1_000_000n })
  apiKey = await createApiKey(pool, id)
  await pool.end()
})

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

test('a bot in the same process offers the new models at once, and says what is made now', async () => {
  const kopeck = await startService('one', [])
  const { lines } = kopeck
  const root = () => lines.flatMap((line) => /^ +(http\S+)$/.exec(line)?.[1] ?? [])[0]
  await expect.poll(root, SOON).toBeDefined()
  const description = async () => (await openPage(root() ?? '', `as=${YOU}`)).state.bot.description
  await expect.poll(description, SOON).toMatch(/^Write anything, (?!.*I also make)/s)
  await sell('second', { type: 'demo' }, PICTURES)

  process.kill(kopeck.pid, 'SIGHUP')

  await expect.poll(description, SOON).toContain('I also make images.')
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

async function startService(name: string, roles = ['service']): Promise<Kopeck> {
  const own = { DATABASE_URL: url, DATA_DIR: join(folder, name), SERVICE_CONFIG: file }
  const kopeck = await startKopeck(own, roles)
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

async function say(chat: string, text: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  await fetch(`${chat}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })
  return (await fetch(chat)).text()
}
