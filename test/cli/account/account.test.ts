import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedDatabase } from '../../../src/platform/database/embedded.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { findAccountByApiKey } from '../../service/ledger/ledger-fixture.ts'
import { runAccount } from './run-account.ts'

/** The first start of an embedded server makes its files, on a machine that does other things too. */
const FIRST_START_MS_MAX = 90_000

const COMMAND = join(import.meta.dirname, '../../../src/cli/kopeck.ts')

let url: string
let pool: pg.Pool

beforeAll(async () => {
  url = await createTestDatabase()
  pool = new pg.Pool({ connectionString: url })
})
afterAll(() => pool.end())

test('create prints the account and a key that opens it', async () => {
  const output = await account('create', '--name', 'first', '--credit', '100.5')

  expect(output).toMatchObject({ account_id: expect.any(Number), api_key: expect.any(String) })
  expect(await findAccountByApiKey(pool, String(output.api_key))).toMatchObject({
    id: output.account_id,
  })
})

test('revoke-key closes a key, create-key makes another, keys shows both', async () => {
  const created = await account('create', '--name', 'third')
  const second = await account('create-key', String(created.account_id))

  const revoked = await account('revoke-key', String(created.api_key))
  const listed = await account('list', '--json')
  const { keys } = await account('keys', String(created.account_id), '--all', '--json')

  expect(revoked).toMatchObject({ account_id: created.account_id, revoked: true })
  expect(await findAccountByApiKey(pool, String(created.api_key))).toBeUndefined()
  expect(await findAccountByApiKey(pool, String(second.api_key))).toBeDefined()
  expect(listed.accounts).toContainEqual({
    account_id: created.account_id,
    name: 'third',
    state: 'open',
    balance_rub: 0,
  })
  expect(keys).toMatchObject([{ key_id: revoked.key_id, state: 'revoked' }, { state: 'valid' }])
})

test.each([
  [['create']],
  [['create', '--name', 'third']],
  [['create', '--name', 'fourth', '--credit', '0.0000001']],
  [['credit', '1', '999999999999', 'more']],
  [['revoke-key', 'kopeck_nobody']],
])('account %j is refused with one sentence', async (args) => {
  await expect(runAccount(url, ...args)).rejects.toThrow(/^.+$/)
})

test(
  'without DATABASE_URL it starts the embedded database, and shares one that runs',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-test-account-'))
    const env = { DATABASE_URL: '', DATA_DIR: dataDir, BOT_TOKEN: '' }
    try {
      const alone = await runCommand(env, 'create', '--name', 'alone', '--credit', '1')
      const running = await startEmbeddedDatabase({ dataDir: join(dataDir, 'playground') })
      const shared = await runCommand(env, 'list', '--json').finally(() => running.stop())

      expect(alone.code).toBe(0)
      expect(JSON.parse(shared.printed).accounts).toMatchObject([{ name: 'alone', balance_rub: 1 }])
    } finally {
      await rm(dataDir, { recursive: true })
    }
  },
  FIRST_START_MS_MAX,
)

async function account(...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await runAccount(url, ...args))
}

async function runCommand(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, 'account', ...args], {
    env: { ...process.env, ...env },
  })
  const [printed, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { printed, errors, code }
}
