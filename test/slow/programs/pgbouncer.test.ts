import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../conformance/open-service.ts'
import { PGBOUNCER, startPgbouncer } from '../../platform/database/pgbouncer.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { runKopeck, startKopeck } from '../../support/kopeck.ts'

const REFUSED =
  'Cannot use the database: a pooler in transaction or statement mode is before it; connect directly, or through a pooler in session mode'

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kopeck-pgbouncer-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return dataDir
}

// Promise: A pooler in session mode is before it
test.runIf(PGBOUNCER)(
  'behind a pooler in session mode a chat is answered, and charged what it cost',
  async () => {
    const databaseUrl = await createTestDatabase()
    const DATABASE_URL = await startPgbouncer(databaseUrl, 'session')
    const env = { DATABASE_URL, DATA_DIR: await makeDataDir() }
    const { address, stop } = await startKopeck(env, ['service'])
    const service = await openService({ baseUrl: `${address}/api/v1`, databaseUrl })

    for (const stream of [false, true]) {
      const { answer, before, after, costMicroRub } = await service.chargedChat({ stream })
      expect([answer.status, before - after]).toEqual([200, costMicroRub])
    }

    expect(await stop()).toBe(0)
  },
)

// Promise: A pooler in session mode is before it
test.runIf(PGBOUNCER)(
  'behind a pooler in session mode a process starts, and hears of another one that ends',
  async () => {
    const direct = await createTestDatabase()
    const DATABASE_URL = await startPgbouncer(direct, 'session')
    const client = new pg.Client({ connectionString: direct })
    await client.connect()
    onTestFinished(() => client.end())
    const instances = async () => (await client.query('SELECT FROM public.instance')).rowCount
    const start = async () =>
      await startKopeck({ DATABASE_URL, DATA_DIR: await makeDataDir() }, ['service'])
    const [first, second] = [await start(), await start()]
    expect(await instances()).toBe(2)

    await first.kill()

    await expect.poll(instances, { timeout: 20_000 }).toBe(1)
    expect((await fetch(`${second.address}/healthz`)).status).toBe(200)
    expect(await second.stop()).toBe(0)
  },
)

// Promise: A pooler in transaction or statement mode is before the database
test.runIf(PGBOUNCER)(
  'behind a pooler in transaction mode a start ends with one sentence',
  async () => {
    const DATABASE_URL = await startPgbouncer(await createTestDatabase(), 'transaction')
    const env = { DATABASE_URL, DATA_DIR: await makeDataDir(), PORT: '0', LOG_LEVEL: 'info' }

    const { code, output } = await runKopeck(env, ['service'])

    expect({ code, output: output.trim() }).toEqual({ code: 2, output: REFUSED })
  },
)
